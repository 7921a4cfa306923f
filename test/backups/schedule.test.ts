// The schedule of backups: due times, and the backups that it deletes.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { archiveName, readArchiveName } from '../../plugins/backups/archive/names.ts'
import { pastKeeping } from '../../plugins/backups/places/place.ts'
import { createBackups } from '../../plugins/backups/running/backups.ts'
import { AFTER_START_MS, nextDue, RETRY_MS } from '../../plugins/backups/running/due.ts'
import type { BackupTask, startBackupProcess } from '../../plugins/backups/running/process.ts'
import type { BackupSettings } from '../../plugins/backups/settings.ts'
import type { ActionContext } from '../../src/domain/actions.ts'
import { createScene } from '../app/commands/scene.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'
import { temporary } from '../support/temporary.ts'

const HOUR = 3_600_000
const at = (text: string) => Date.parse(`2026-11-${text}Z`)
const every = { every_ms: 24 * HOUR }
const daily = { at_minute: 180 }

describe('a backup is due', () => {
  test.each([
    ['every day, none yet: soon after the start', every, '10T12:00', undefined, undefined, '10T12:01'],
    ['every day, an hour ago', every, '10T12:00', '10T11:00', undefined, '11T11:00'],
    ['every day, missed while it was down', every, '10T12:00', '07T11:00', undefined, '10T12:01'],
    ['at 03:00, none yet, started at noon', daily, '10T12:00', undefined, undefined, '11T03:00'],
    ['at 03:00, none yet, started at night', daily, '10T02:00', undefined, undefined, '10T03:00'],
    ['at 03:00, made at 03:00:05', daily, '01T00:00', '10T03:00:05', undefined, '11T03:00'],
    ['at 03:00, the last two days ago', daily, '10T12:00', '08T03:00:05', undefined, '10T12:01'],
    ['after a failure: a quarter of an hour later', every, '01T00:00', '09T11:00', '10T11:00', '10T11:15'],
    ['after a failure, at 03:00', daily, '01T00:00', '09T03:00:05', '10T03:00:20', '10T03:15:20'],
    ['made by a clock that was ahead', every, '10T12:00', '30T11:00', undefined, '10T12:01'],
    ['failed by a clock that was ahead: at its time', every, '10T12:00', '10T11:00', '30T11:00', '11T11:00'],
  ] as const)('%s', (_, schedule, started, made, failed, due) => {
    const known = {
      started_at_ms: at(started),
      last_made_at_ms: made && at(made),
      last_failed_at_ms: failed && at(failed),
      now_ms: at('20T00:00'),
    }
    expect(new Date(nextDue(schedule, known)).toISOString()).toBe(new Date(at(due)).toISOString())
  })
})

describe('retention deletes', () => {
  const archive = (hour: number, is_scheduled = true) => {
    const facts = { made_at_ms: at('10T00:00') + hour * HOUR, is_encrypted: hour % 2 === 1, is_scheduled }
    return { name: archiveName(facts), bytes: 1, ...facts }
  }
  const HOURS = [1, 2, 3, 4, 5]
  const names = (hours: readonly number[]) => hours.map((hour) => archive(hour).name)

  test.each([
    ['nothing within the limit', [1, 2, 3], 3, []],
    ['the oldest scheduled ones', [1, 2, 3, 4], 2, [2, 1]],
    ['never one made by hand', [5], 1, []],
    ['never the newest', [4, 5], 1, [4]],
    ['never the newest, even with a limit of 0', [4, 5], 0, [4]],
  ] as const)('%s', (_, made, keep, gone) => {
    const by_schedule = (hour: number) => made.some((one) => one === hour)
    const all = HOURS.map((hour) => archive(hour, by_schedule(hour)))
    expect(pastKeeping(all, keep)).toEqual(names(gone))
  })

  test('only archives, whose names have their time and their origin', () => {
    const all = HOURS.flatMap((hour) => [archive(hour), archive(hour, false)])
    for (const { name, bytes, ...facts } of all) expect(readArchiveName(name)).toEqual(facts)
    for (const name of [
      'tollgate.db',
      'tollgate-1.tar.zst',
      `../${all[0]?.name}`,
      `${all[0]?.name}.unfinished`,
      'tollgate-20261110T010000Z-mine.tar.zst',
    ])
      expect([name, readArchiveName(name)]).toEqual([name, undefined])
  })

  test('by the command, too: scheduled ones over the limit, and never one made by hand', async () => {
    using scene = createScene()
    writeFileSync(
      scene.path('tollgate.toml'),
      `${readFileSync(scene.path('tollgate.toml'), 'utf8')}\n[backup]\nkeep = 2\n`,
    )
    await scene.run('account', 'create', 'anna')
    const { name: by_hand } = await scene.json('backup')
    mkdirSync(scene.path('backups'), { recursive: true })
    const strange = archiveName({ made_at_ms: 0, is_encrypted: false, is_scheduled: false })
    writeFileSync(scene.path(`backups/${strange}`), 'of another program')
    const made: string[] = []
    for (let day = 1; day <= 4; day++) {
      scene.now_ms += 24 * HOUR
      const { name, deleted } = await scene.json('backup', '--scheduled')
      made.push(name)
      expect(deleted).toEqual(day > 2 ? [made[day - 3]] : [])
    }
    expect(readdirSync(scene.path('backups')).sort()).toEqual([strange, by_hand, ...made.slice(-2)].sort())
    const { backups } = await scene.json('backup', 'list')
    expect(backups.map(({ scheduled }: { scheduled: boolean }) => scheduled)).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect((await scene.run('backup', scene.path('x'), '--scheduled')).err).toContain('leave out the file')
  })
})

const SETTINGS: BackupSettings = {
  schedule: every,
  keep: 7,
  place: { kind: 'folder', folder: 'backups' },
  lock: undefined,
  unavailable: undefined,
}

/** Tasks with these endings, in order. */
function scripted(endings: readonly ('made' | 'failed')[]) {
  const tasks: BackupTask[] = []
  const start: typeof startBackupProcess = (_, task) => {
    const ending = endings[tasks.push(task) - 1]
    return {
      ended: Promise.resolve(
        ending === 'made' ? { name: 'x', files: 1, deleted: [], warnings: ['told'] } : { failure: 'no room' },
      ),
      stop: async () => {},
    }
  }
  return { tasks, start }
}

/** The backups of a gateway that was started at noon. */
function openBackups(
  data_folder: string,
  start: typeof startBackupProcess,
  { isScheduler, ...changed }: Partial<BackupSettings> & { isScheduler?: () => boolean } = {},
) {
  const memory = memoryLog({})
  const clock = { now_ms: at('10T12:00') }
  const backups = createBackups({
    data_folder,
    settings: () => ({ ...SETTINGS, ...changed }),
    log: memory.log,
    record: async () => {},
    now: () => clock.now_ms,
    start,
    ...(isScheduler ? { isScheduler } : {}),
  })
  /** Ticks after some time, and waits for the end of a started task. */
  const tick = async (passed_ms: number) => {
    clock.now_ms += passed_ms
    await backups.tick()
    await eventually('the task ended', () => backups.running === undefined)
  }
  return { backups, memory, clock, tick }
}

const SOMEBODY: ActionContext = { actor: { kind: 'operator', session_id: 1 }, now_ms: 0, request_id: 'req_1' }

describe('beside the calls', () => {
  test('a backup starts when it is due, and again after a failure, which is logged', async () => {
    const { tasks, start } = scripted(['failed', 'failed', 'made'])
    const { backups, memory, tick } = openBackups('/nowhere', start)
    const tasksAfter = async (passed_ms: number) => {
      await tick(passed_ms)
      return tasks.length
    }
    expect(await tasksAfter(0)).toBe(0)
    expect(await tasksAfter(AFTER_START_MS)).toBe(1)
    expect(backups.last.make?.failure).toBe('no room')
    expect(memory.written().join('')).toContain('no room')
    expect(await tasksAfter(RETRY_MS - 1)).toBe(1)
    expect(await tasksAfter(1)).toBe(2)
    expect(await tasksAfter(RETRY_MS)).toBe(3)
    expect(tasks).toEqual(Array(3).fill({ kind: 'make', scheduled: true }))
    expect(backups.last.make).toMatchObject({
      failure: undefined,
      name: 'x',
      result: 'Backup created: x, 1 file.',
      warnings: ['told'],
    })
    expect(memory.written().at(-1)).toContain('"warnings":["told"]')
  })

  test('of several gateways only the scheduler starts a backup', async () => {
    let is_scheduler = false
    const { tasks, start } = scripted(['made'])
    const { tick } = openBackups('/nowhere', start, { isScheduler: () => is_scheduler })
    await tick(AFTER_START_MS)
    expect(tasks).toEqual([])
    is_scheduler = true
    await tick(0)
    expect(tasks).toHaveLength(1)
  })

  function putArchive(folder: string, when: string, by: 'schedule' | 'hand' = 'schedule'): void {
    const made = { made_at_ms: at(when), is_encrypted: false, is_scheduled: by === 'schedule' }
    mkdirSync(`${folder}/backups`, { recursive: true })
    writeFileSync(`${folder}/backups/${archiveName(made)}`, 'an archive')
  }

  test.each<[string, by_schedule: string[], by_hand: string[], due: string]>([
    ['none', [], [], '11T03:00'],
    ['one of this night', ['10T03:00:05'], [], '11T03:00'],
    ['one of the day before, and one by hand of this night', ['09T03:00:05'], ['10T03:00:05'], '10T12:01'],
    ['one of a clock that was ahead, and one of this night', ['30T03:00', '10T03:00:05'], [], '11T03:00'],
  ])('with %s in its place, the next one is known from the start', async (_, by_schedule, by_hand, due) => {
    using folder = temporary()
    for (const when of by_schedule) putArchive(folder.path, when)
    for (const when of by_hand) putArchive(folder.path, when, 'hand')
    const { tasks, start } = scripted([])
    const { backups, tick } = openBackups(folder.path, start, { schedule: daily })
    await tick(0)
    expect(tasks).toEqual([])
    expect(new Date(backups.next_at_ms ?? 0).toISOString()).toBe(new Date(at(due)).toISOString())
  })

  test('a scheduled backup that a command made meanwhile is not made again', async () => {
    using folder = temporary()
    putArchive(folder.path, '10T03:00:05')
    const { tasks, start } = scripted([])
    const { backups, clock, tick } = openBackups(folder.path, start, { schedule: daily })
    await tick(0)
    putArchive(folder.path, '11T02:59')
    putArchive(folder.path, '11T03:00:02')
    clock.now_ms = at('11T03:00:10')
    await tick(0)
    expect(tasks).toEqual([])
    expect(backups.next_at_ms).toBe(at('12T03:00'))
  })

  test('a backup that has left its place is not made again at once', async () => {
    const { tasks, start } = scripted(['made', 'made'])
    const { tick } = openBackups('/nowhere', start)
    for (const passed_ms of [AFTER_START_MS, RETRY_MS, RETRY_MS]) await tick(passed_ms)
    expect(tasks.length).toBe(1)
  })

  test('a place that cannot be listed is logged, and listed again a quarter of an hour later', async () => {
    using folder = temporary()
    writeFileSync(folder.at('backups'), 'no folder')
    const { memory, tick } = openBackups(folder.path, scripted([]).start)
    const errors: number[] = []
    for (const passed_ms of [0, RETRY_MS - 1, 1]) {
      await tick(passed_ms)
      errors.push(memory.lines().filter(({ level }) => level === 'error').length)
    }
    expect(errors).toEqual([1, 1, 2])
  })

  test.each([
    ['no schedule', { schedule: undefined }],
    ['a variable that is not set', { unavailable: 'the environment variable X is not set' }],
  ])('%s: no backup starts', async (_, changed) => {
    const { tasks, start } = scripted([])
    const { backups, tick } = openBackups('/nowhere', start, changed)
    await tick(AFTER_START_MS)
    expect([tasks, backups.next_at_ms]).toEqual([[], undefined])
  })

  test('backups run one at a time', () => {
    const { backups } = openBackups('/nowhere', () => ({
      ended: new Promise(() => {}),
      stop: async () => {},
    }))
    backups.make(SOMEBODY)
    expect(() => backups.make(SOMEBODY)).toThrow('is already being created')
    expect(() =>
      backups.verify(archiveName({ made_at_ms: 0, is_encrypted: false, is_scheduled: false }), SOMEBODY),
    ).toThrow('Wait until')
    expect(() => backups.verify('../tollgate.toml', SOMEBODY)).toThrow('Backup ../tollgate.toml not found')
  })
})
