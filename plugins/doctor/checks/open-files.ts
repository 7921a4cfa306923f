// The check of this process's limit of open files.
import { existsSync, readFileSync } from 'node:fs'
import { type Diagnosis, diagnosesOf } from '../../../src/app/checks/check.ts'

const { ok, warn } = diagnosesOf('open files')

/** A stream uses two sockets: one to its caller, one to its provider. */
const FILES_WANTED = 4_096
const LIMITS = '/proc/self/limits'

/** @param limits the text of /proc/self/limits on Linux; null on other systems */
export function checkFiles(limits: string | null = readLimits()): Diagnosis[] {
  const [, soft] = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? '') ?? []
  if (soft === undefined) return []
  const streams = Math.floor((Number(soft) - 100) / 2)
  if (soft !== 'unlimited' && Number(soft) < FILES_WANTED)
    return [
      warn(
        `limit ${soft}, enough for ${Math.max(streams, 0)} streams`,
        'Raise it: LimitNOFILE=65536 in the systemd unit, or `ulimit -n 65536` in the shell before the start.',
      ),
    ]
  return [ok(`limit ${soft}`)]
}

const readLimits = (): string | null => (existsSync(LIMITS) ? readFileSync(LIMITS, 'utf8') : null)
