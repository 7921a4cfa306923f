// The schedule: when a backup is due, what is kept, and what is never deleted.
import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { pastKeeping } from '../../src/backup/archives.ts'
import { archiveName, readArchiveName } from '../../src/backup/names.ts'
import type { BackupSettings } from '../../src/domain/catalogue.ts'
import { createBackups } from '../../src/server/backup/backups.ts'
import { AFTER_START_MS, nextDue, RETRY_MS } from '../../src/server/backup/due.ts'
import type { BackupDeed, startBackupProcess } from '../../src/server/backup/process.ts'
import { createScene } from '../cli/scene.ts'
import { eventually } from '../support/eventually.ts'
import { memoryLog } from '../support/memory-log.ts'

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
  const archive = (hour: number) => {
    const made_at_ms = at('10T00:00') + hour * HOUR
    const name = archiveName({ made_at_ms, is_encrypted: hour % 2 === 1 })
    return { name, bytes: 1, made_at_ms, is_encrypted: hour % 2 === 1 }
  }
  const all = [1, 2, 3, 4, 5].map(archive)
  const names = (hours: readonly number[]) => hours.map((hour) => archive(hour).name)

  test.each([
    ['none that is not too many', [1, 2, 3], 3, []],
    ['the oldest of the schedule', [1, 2, 3, 4], 2, [2, 1]],
    ['never one that was made by hand', [5], 1, []],
    ['never the newest', [4, 5], 1, [4]],
    ['never the newest, whatever is asked', [4, 5], 0, [4]],
  ] as const)('%s', (_, made, keep, gone) => {
    expect(pastKeeping(all, new Set(names(made)), keep)).toEqual(names(gone))
  })

  test('names tell their time, and nothing else is an archive', () => {
    for (const { name, made_at_ms, is_encrypted } of all)
      expect(readArchiveName(name)).toEqual({ made_at_ms, is_encrypted })
    for (const name of [
      'tollgate.db',
      'tollgate-1.tar.zst',
      `../${all[0]?.name}`,
      `${all[0]?.name}.unfinished`,
    ])
      expect([name, readArchiveName(name)]).toEqual([name, undefined])
  })

  test('by the command: its own, over those that are kept; never what is made by hand', async () => {
    const scene = createScene()
    writeFileSync(
      scene.path('tollgate.toml'),
      `${readFileSync(scene.path('tollgate.toml'), 'utf8')}\n[backup]\nkeep = 2\n`,
    )
    await scene.run('account', 'create', 'anna')
    const { name: by_hand } = await scene.json('backup')
    mkdirSync(scene.path('backups'), { recursive: true })
    const strange = archiveName({ made_at_ms: 0, is_encrypted: false })
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
    scene.remove()
  })
})

describe('beside the calls', () => {
  const settings: BackupSettings = {
    schedule: every,
    keep: 7,
    place: { kind: 'folder', folder: 'backups' },
    lock: undefined,
    unavailable: undefined,
  }
  /** Deeds that end as the test says, in order. */
  function scripted(endings: readonly ('made' | 'failed')[]) {
    const begun: BackupDeed[] = []
    const start: typeof startBackupProcess = (_, deed) => {
      const ending = endings[begun.push(deed) - 1]
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
    const scene = createScene()
    const memory = memoryLog({})
    let now_ms = at('10T12:00')
    const { begun, start } = scripted(['failed', 'failed', 'made'])
    const backups = createBackups({
      data_folder: scene.dir,
      catalogue: () => ({ backup: settings }),
      log: memory.log,
      now: () => now_ms,
      start,
    })
    const tick = async (passed_ms: number) => {
      now_ms += passed_ms
      backups.tick()
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
    expect(begun).toEqual(Array(3).fill({ deed: 'make', scheduled: true }))
    expect(backups.last.make).toMatchObject({
      failure: undefined,
      name: 'x',
      result: 'x was made, with 1 files.',
      warnings: ['told'],
    })
    expect(memory.written().at(-1)).toContain('"warnings":["told"]')
    scene.remove()
  })

  test.each([
    ['no schedule', { schedule: undefined }],
    ['a variable that is not set', { unavailable: 'the environment variable X is not set' }],
  ])('%s: none is begun', (_, changed) => {
    const { begun, start } = scripted([])
    const backups = createBackups({
      data_folder: '/nowhere',
      catalogue: () => ({ backup: { ...settings, ...changed } }),
      log: memoryLog({}).log,
      now: () => at('10T12:00'),
      start,
    })
    backups.tick()
    expect([begun, backups.next_at_ms]).toEqual([[], undefined])
  })

  test('one at a time', () => {
    const start: typeof startBackupProcess = () => ({ ended: new Promise(() => {}), stop: async () => {} })
    const backups = createBackups({
      data_folder: '/nowhere',
      catalogue: () => ({ backup: settings }),
      log: memoryLog({}).log,
      now: () => 0,
      start,
    })
    backups.make()
    expect(() => backups.make()).toThrow('is being made already')
    expect(() => backups.verify(archiveName({ made_at_ms: 0, is_encrypted: false }))).toThrow('wait until')
    expect(() => backups.verify('../tollgate.toml')).toThrow('There is no backup')
  })
})
