// The command `doctor`: reports problems of the data folder, the machine and the providers, with advice.
import { type Command, Option } from 'commander'
import type { Diagnosis } from '../../src/app/checks/check.ts'
import { contextOf } from '../../src/app/command-line/context.ts'
import { wrapped } from '../../src/app/command-line/table.ts'
import { addExample, type CliDeps, EXIT, Exit } from '../../src/app/command-line/terminal.ts'
import { checksOfDoctor, examine } from './examine.ts'
import type { DoctorReport } from './report.ts'

export function addDoctorCommand(program: Command, deps: CliDeps): void {
  const names = checksOfDoctor(deps.checks).map(({ name }) => name)
  const command = program
    .command('doctor')
    .summary('Find problems and how to fix them.')
    .description(
      'Check the catalogue, the data folder and its permissions, the database, stored images, the disk, the open-file limit, the ' +
        'address, the certificate, backups, plugins, the image library, the clock, and each provider and key with a free request. It ' +
        'changes nothing (in a bucket of files it puts an object and deletes it) and works while the gateway runs. The exit status is 1 if anything failed.',
    )
    .addOption(new Option('--only <check>', "run only this check and the catalogue's").choices(names))
    .action(async ({ only }: { only?: string }, command: Command) => {
      const { folder, answer } = contextOf(command, deps)
      const report = await examine(
        { data_folder: folder.dir, env: deps.env, now: deps.now },
        deps.checks,
        only,
      )
      answer(report, describeReport(report))
      if (!report.healthy) throw new Exit(EXIT.failed)
    })
  addExample(command, 'doctor --only providers')
}

const LEVEL_CHARS = 6
const MAX_CHECK_CHARS = 24

function describeReport({ findings }: DoctorReport): string {
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
  // A name that exceeds its column is printed on a separate line.
  return check.length < check_chars
    ? [head + first.slice(indent.length), ...more, ...below]
    : [head.trimEnd(), first, ...more, ...below]
}
