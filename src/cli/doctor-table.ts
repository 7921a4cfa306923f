// What `doctor` shows in a terminal of 80 columns: a line or more for each finding, and under it what to do. Pure.
import type { Diagnosis, DoctorReport } from '../surface/doctor.ts'
import { wrapped } from './wrapped.ts'

const LEVEL_CHARS = 6
const MAX_CHECK_CHARS = 24

export function describeReport({ findings }: DoctorReport): string {
  const check_chars = Math.min(MAX_CHECK_CHARS, Math.max(...findings.map(({ check }) => check.length))) + 2
  const lines = findings.flatMap((finding) => linesOf(finding, check_chars))
  const count = (level: Diagnosis['level']) => findings.filter((finding) => finding.level === level).length
  return [...lines, '', `ok: ${count('ok')}, warnings: ${count('warn')}, failed: ${count('fail')}.`].join(
    '\n',
  )
}

function linesOf({ level, check, found, advice }: Diagnosis, check_chars: number): string[] {
  const indent = ' '.repeat(LEVEL_CHARS + check_chars)
  const [first = '', ...more] = wrapped(found.replaceAll('\n', ' '), indent)
  const head = level.padEnd(LEVEL_CHARS) + check.padEnd(check_chars)
  const below = advice === null ? [] : wrapped(`To do: ${advice}`, indent)
  // A name that is longer than its column has a line of its own.
  return check.length < check_chars
    ? [head + first.slice(indent.length), ...more, ...below]
    : [head.trimEnd(), first, ...more, ...below]
}
