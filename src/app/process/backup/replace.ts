// The replacement of what a data folder holds by what was unpacked in it: a kill at any point leaves a plan that is finished later.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { FILES, FOLDERS } from '../../../backup/names.ts'
import { conflict, unprocessable } from '../../../domain/errors.ts'
import { readJsonAs } from '../../../domain/validation.ts'
import { flush } from '../../../store/engines/sqlite/copy.ts'
import { giveToFolderOwner } from '../../../store/folder.ts'
import { takeLock } from '../../../store/lock.ts'
import { codeOf } from '../../../utilities/thrown.ts'

/** In the data folder, since a rename is atomic only in one file system, and since the folder itself may be a mount. */
export const INCOMING = '.restore'
const PLAN = '.restore.json'
/** What belongs to a restored database besides what an archive has: it goes with the old one. */
const OLD_ONLY: readonly string[] = ['tollgate.db-wal', 'tollgate.db-shm']
const REPLACED: readonly string[] = [...FILES, ...FOLDERS, ...OLD_ONLY]

type Probe = (point: string) => void
const NO_PROBE: Probe = () => {}

const Plan = Type.Object({ keep_as: Type.String({ pattern: '^before-restore-[0-9TZ-]+$' }) })
type Plan = Static<typeof Plan>

/**
 * Puts what is in `.restore` in place of the folder's. What it replaces is kept in a folder `before-restore-…`.
 * The folder is locked, and nothing has its database open.
 *
 * @param probe called before each step, where tests end the work
 * @returns the name of that folder; undefined if there was nothing to keep
 */
export function replaceContents(dir: string, now_ms: number, probe: Probe = NO_PROBE): string | undefined {
  refuseMounts(dir)
  const plan: Plan = { keep_as: nameFor(dir, now_ms) }
  const path = join(dir, PLAN)
  writeFileSync(`${path}.unfinished`, JSON.stringify(plan), { mode: 0o600 })
  // Whoever serves the folder may be the one that finishes it.
  giveToFolderOwner(`${path}.unfinished`)
  flush(`${path}.unfinished`)
  probe('plan')
  // From this rename on the new state is the folder's: whatever happens, the next start brings it to its end.
  renameSync(`${path}.unfinished`, path)
  flush(dir)
  return finish(dir, plan, probe)
}

/** Of the second, and numbered where one second restores twice. */
function nameFor(dir: string, now_ms: number): string {
  const time = Temporal.Instant.fromEpochMilliseconds(now_ms).toString({ smallestUnit: 'second' })
  const name = `before-restore-${time.replaceAll(':', '')}`
  let free = name
  for (let count = 2; existsSync(join(dir, free)); count++) free = `${name}-${count}`
  return free
}

export const isRestoreUnfinished = (dir: string): boolean => existsSync(join(dir, PLAN))

/**
 * Finishes a replacement that was interrupted. Does nothing if none was.
 *
 * @throws GatewayError conflict while another process has the folder
 */
export function finishRestore(dir: string): string | undefined {
  if (!isRestoreUnfinished(dir)) return undefined
  using unlock = takeLock(join(dir, 'serve.lock'))
  if (!unlock) throw conflict(`${dir} is being restored by another process: try again when it has ended.`)
  return finishLocked(dir)
}

/** The same for whoever has the lock already. */
export function finishLocked(dir: string): string | undefined {
  const path = join(dir, PLAN)
  if (!existsSync(path)) return undefined
  return finish(dir, readPlan(path))
}

function readPlan(path: string): Plan {
  const plan = readJsonAs(Plan, readFileSync(path, 'utf8'))
  if (plan) return plan
  throw unprocessable(`${path} is not what a restore wrote: move it away, and restore again.`)
}

/** Each step is done once, and its being done shows: so they can be gone through again from the beginning. */
function finish(dir: string, { keep_as }: Plan, probe = NO_PROBE): string | undefined {
  const incoming = join(dir, INCOMING)
  const kept = join(dir, keep_as)
  mkdirSync(kept, { recursive: true, mode: 0o700 })
  giveToFolderOwner(kept)
  try {
    keepOld(dir, { kept, incoming, probe })
  } catch (cause) {
    if (!isMount(cause)) throw cause
    for (const name of readdirSync(kept)) renameSync(join(kept, name), join(dir, name))
    rmSync(kept, { recursive: true })
    rmSync(join(dir, PLAN))
    throw conflict(`${dir}: a folder in it is on another mount. ${ELSEWHERE}`, { cause })
  }
  flush(kept)
  flush(dir)
  place(dir, incoming, probe)
  const is_empty = readdirSync(kept).length === 0
  if (is_empty) rmSync(kept, { recursive: true })
  probe('done')
  rmSync(join(dir, PLAN))
  flush(dir)
  probe('clean')
  rmSync(incoming, { recursive: true, force: true })
  return is_empty ? undefined : keep_as
}

/** All that is old, before anything new comes: a database beside the log of another one would be damaged by it. */
function keepOld(
  dir: string,
  { kept, incoming, probe }: { kept: string; incoming: string; probe: Probe },
): void {
  for (const name of REPLACED) {
    const has_come = !existsSync(incoming) || existsSync(join(incoming, `${name}.placed`))
    if (has_come || !existsSync(join(dir, name)) || existsSync(join(kept, name))) continue
    probe(`keep ${name}`)
    renameSync(join(dir, name), join(kept, name))
  }
}

const isMount = (thrown: unknown): boolean => ['EBUSY', 'EXDEV'].includes(codeOf(thrown))

/** An empty file says that a part was placed; it is there before the part is moved, and holds it back from being taken for old. */
function place(dir: string, incoming: string, probe: Probe): void {
  for (const name of [...FILES, ...FOLDERS]) {
    if (!existsSync(join(incoming, name))) continue
    const mark = join(incoming, `${name}.placed`)
    probe(`mark ${name}`)
    writeFileSync(mark, '')
    flush(mark)
    flush(incoming)
    probe(`place ${name}`)
    renameSync(join(incoming, name), join(dir, name))
  }
  flush(incoming)
  flush(dir)
}

const ELSEWHERE = 'Restore into another folder with --data, and copy it from there. Nothing was changed.'

/** A mount cannot be renamed; told before anything is changed. @throws GatewayError conflict */
export function refuseMounts(dir: string): void {
  const { dev } = statSync(dir)
  const mounts = REPLACED.filter((name) => {
    const found = statSync(join(dir, name), { throwIfNoEntry: false })
    return found !== undefined && found.dev !== dev
  })
  if (mounts.length === 0) return
  throw conflict(
    `${mounts.map((name) => join(dir, name)).join(', ')}: on another file system than ${dir}, and cannot be replaced in one step. ${ELSEWHERE}`,
  )
}
