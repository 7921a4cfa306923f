// The schedule: when a backup is due, what is kept, and what is never deleted.
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

describe('when one is due', () => {
  test.each([
    ['every day, none yet: soon after the start', every, '10T12:00', undefined, undefined, '10T12:01'],
    ['every day, an hour ago', every, '10T12:00', '10T11:00', undefined, '11T11:00'],
    [
      'every day, missed while it was down: soon after the start',
      every,
      '10T12:00',
      '07T11:00',
      undefined,
      '10T12:01',
    ],
    ['at 03:00, none yet, started at noon', daily, '10T12:00', undefined, undefined, '11T03:00'],
    ['at 03:00, none yet, started at night', daily, '10T02:00', undefined, undefined, '10T03:00'],
    ['at 03:00, made at 03:00:05', daily, '01T00:00', '10T03:00:05', undefined, '11T03:00'],
    [
      'at 03:00, the last two days ago: soon after the start',
      daily,
      '10T12:00',
      '08T03:00:05',
      undefined,
      '10T12:01',
    ],
    ['after a failure: a quarter of an hour later', every, '01T00:00', '09T11:00', '10T11:00', '10T11:15'],
    ['after a failure, at 03:00', daily, '01T00:00', '09T03:00:05', '10T03:00:20', '10T03:15:20'],
    [
      'made by a clock that was ahead: as if none was made',
      every,
      '10T12:00',
      '30T11:00',
      undefined,
      '10T12:01',
    ],
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

describe('what is deleted', () => {
  const archive = (hour: number, is_scheduled = true) => {
    const facts = { made_at_ms: at('10T00:00') + hour * HOUR, is_encrypted: hour % 2 === 1, is_scheduled }
    return { name: archiveName(facts), bytes: 1, ...facts }
  }
  const HOURS = [1, 2, 3, 4, 5]
  const names = (hours: readonly number[]) => hours.map((hour) => archive(hour).name)

  test.each([
    ['none that is not too many', [1, 2, 3], 3, []],
    ['the oldest of the schedule', [1, 2, 3, 4], 2, [2, 1]],
    ['never one that was made by hand', [5], 1, []],
    ['never the newest', [4, 5], 1, [4]],
    ['never the newest, whatever is asked', [4, 5], 0, [4]],
  ] as const)('%s', (_, made, keep, gone) => {
    const by_schedule = (hour: number) => made.some((one) => one === hour)
    const all = HOURS.map((hour) => archive(hour, by_schedule(hour)))
    expect(pastKeeping(all, keep)).toEqual(names(gone))
  })

  test('names tell their time and who made them, and nothing else is an archive', () => {
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

  test('by the command: its own, over those that are kept; never what is made by hand', async () => {
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

const SOMEBODY: ActionContext = { actor: { kind: 'operator', session_id: 1 }, now_ms: 0, request_id: 'req_1' }

describe('beside the calls', () => {
  const settings: BackupSettings = {
    schedule: every,
    keep: 7,
    place: { kind: 'folder', folder: 'backups' },
    lock: undefined,
    unavailable: undefined,
  }
  /** Tasks that end as the test says, in order. */
  function scripted(endings: readonly ('made' | 'failed')[]) {
    const begun: BackupTask[] = []
    const start: typeof startBackupProcess = (_, task) => {
      const ending = endings[begun.push(task) - 1]
      return {
        ended: Promise.resolve(
          ending === 'made'
            ? { name: 'x', files: 1, deleted: [], warnings: ['told'] }
            : { failure: 'no room' },
        ),
        stop: async () => {},
      }
    }
    return { begun, start }
  }

  test('it is begun when it is due, and again after a failure, which is told', async () => {
    using scene = createScene()
    const memory = memoryLog({})
    let now_ms = at('10T12:00')
    const { begun, start } = scripted(['failed', 'failed', 'made'])
    const backups = createBackups({
      data_folder: scene.dir,
      settings: () => settings,
      log: memory.log,
      record: async () => {},
      now: () => now_ms,
      start,
    })
    const tick = async (passed_ms: number) => {
      now_ms += passed_ms
      await backups.tick()
      await eventually('it ended', () => backups.running === undefined)
      return begun.length
    }
    expect(await tick(0)).toBe(0)
    expect(await tick(AFTER_START_MS)).toBe(1)
    expect(backups.last.make?.failure).toBe('no room')
    expect(memory.written().join('')).toContain('no room')
    expect(await tick(RETRY_MS - 1)).toBe(1)
    expect(await tick(1)).toBe(2)
    expect(await tick(RETRY_MS)).toBe(3)
    expect(begun).toEqual(Array(3).fill({ kind: 'make', scheduled: true }))
    expect(backups.last.make).toMatchObject({
      failure: undefined,
      name: 'x',
      result: 'x was made, with 1 file.',
      warnings: ['told'],
    })
    expect(memory.written().at(-1)).toContain('"warnings":["told"]')
  })

  test('of several gateways one begins it, and the next one once that has ended', async () => {
    using scene = createScene()
    let now_ms = at('10T12:00')
    let is_scheduler = false
    const { begun, start } = scripted(['made'])
    const backups = createBackups({
      data_folder: scene.dir,
      settings: () => settings,
      log: memoryLog({}).log,
      record: async () => {},
      now: () => now_ms,
      start,
      isScheduler: () => is_scheduler,
    })
    now_ms += AFTER_START_MS
    await backups.tick()
    expect(begun).toEqual([])
    is_scheduler = true
    await backups.tick()
    expect(begun).toHaveLength(1)
    await backups.stop()
  })

  /** A gateway that was started at noon, with these archives in its folder. */
  function startedWith(folder: string, made: readonly (readonly [when: string, is_scheduled: boolean])[]) {
    const put = (when: string, is_scheduled: boolean) => {
      const name = archiveName({ made_at_ms: at(when), is_encrypted: false, is_scheduled })
      mkdirSync(`${folder}/backups`, { recursive: true })
      writeFileSync(`${folder}/backups/${name}`, 'an archive')
    }
    for (const [when, is_scheduled] of made) put(when, is_scheduled)
    const clock = { now_ms: at('10T12:00') }
    const { begun, start } = scripted([])
    const backups = createBackups({
      data_folder: folder,
      settings: () => ({ ...settings, schedule: daily }),
      log: memoryLog({}).log,
      record: async () => {},
      now: () => clock.now_ms,
      start,
    })
    return { backups, begun, clock, put }
  }

  test.each<[string, (readonly [string, boolean])[], string]>([
    ['none', [], '11T03:00'],
    ['one of this night', [['10T03:00:05', true]], '11T03:00'],
    [
      'one of the day before, and one by hand of this night',
      [
        ['09T03:00:05', true],
        ['10T03:00:05', false],
      ],
      '10T12:01',
    ],
    [
      'one of a clock that was ahead, and one of this night',
      [
        ['30T03:00', true],
        ['10T03:00:05', true],
      ],
      '11T03:00',
    ],
  ])('with %s in its place, the next one is known from the start', async (_, made, due) => {
    using folder = temporary()
    const { backups, begun } = startedWith(folder.path, made)
    await backups.tick()
    expect(begun).toEqual([])
    expect(new Date(backups.next_at_ms ?? 0).toISOString()).toBe(new Date(at(due)).toISOString())
  })

  test('one that a command made meanwhile, as the schedule does, is not made again', async () => {
    using folder = temporary()
    const { backups, begun, clock, put } = startedWith(folder.path, [['10T03:00:05', true]])
    await backups.tick()
    put('11T02:59', true)
    put('11T03:00:02', true)
    clock.now_ms = at('11T03:00:10')
    await backups.tick()
    expect(begun).toEqual([])
    expect(backups.next_at_ms).toBe(at('12T03:00'))
  })

  test('one that was made, and is not in its place any more, is not made again at once', async () => {
    using folder = temporary()
    const { begun, start } = scripted(['made', 'made'])
    let now_ms = at('10T12:00')
    const backups = createBackups({
      data_folder: folder.path,
      settings: () => settings,
      log: memoryLog({}).log,
      record: async () => {},
      now: () => now_ms,
      start,
    })
    now_ms += AFTER_START_MS
    for (let times = 0; times < 3; times++) {
      await backups.tick()
      await eventually('it ended', () => backups.running === undefined)
      now_ms += RETRY_MS
    }
    expect(begun.length).toBe(1)
  })

  test('a place that cannot be listed is told, and asked again a quarter of an hour later', async () => {
    using folder = temporary()
    writeFileSync(folder.at('backups'), 'no folder')
    const memory = memoryLog({})
    let now_ms = at('10T12:00')
    const backups = createBackups({
      data_folder: folder.path,
      settings: () => settings,
      log: memory.log,
      record: async () => {},
      now: () => now_ms,
      start: scripted([]).start,
    })
    const told: number[] = []
    for (const passed_ms of [0, RETRY_MS - 1, 1]) {
      now_ms += passed_ms
      await backups.tick()
      told.push(memory.lines().filter(({ level }) => level === 'error').length)
    }
    expect(told).toEqual([1, 1, 2])
  })

  test.each([
    ['no schedule', { schedule: undefined }],
    ['a variable that is not set', { unavailable: 'the environment variable X is not set' }],
  ])('%s: none is begun', async (_, changed) => {
    const { begun, start } = scripted([])
    const backups = createBackups({
      data_folder: '/nowhere',
      settings: () => ({ ...settings, ...changed }),
      log: memoryLog({}).log,
      record: async () => {},
      now: () => at('10T12:00'),
      start,
    })
    await backups.tick()
    expect([begun, backups.next_at_ms]).toEqual([[], undefined])
  })

  test('one at a time', () => {
    const start: typeof startBackupProcess = () => ({ ended: new Promise(() => {}), stop: async () => {} })
    const backups = createBackups({
      data_folder: '/nowhere',
      settings: () => settings,
      log: memoryLog({}).log,
      record: async () => {},
      now: () => 0,
      start,
    })
    backups.make(SOMEBODY)
    expect(() => backups.make(SOMEBODY)).toThrow('is being made already')
    expect(() =>
      backups.verify(archiveName({ made_at_ms: 0, is_encrypted: false, is_scheduled: false }), SOMEBODY),
    ).toThrow('wait until')
    expect(() => backups.verify('../tollgate.toml', SOMEBODY)).toThrow('Backup ../tollgate.toml not found')
  })
})
