// The executor of `auto`: when it changes over, and that nothing is lost, done twice or done out of order when it does.
import { describe, expect, test } from 'bun:test'
import { autoExecutor, type Place, watchPace } from '../../src/ledger/auto-executor.ts'
import { inlineExecutor, type MeasuredExecutor, threadExecutor } from '../../src/ledger/executors.ts'
import { groupCommit } from '../../src/ledger/ledger.ts'
import { onDisk } from './disk.ts'
import { brokenInvariants, hold, post, stateOf, topUp } from './world.ts'

describe('the pace', () => {
  /** Tells it of commits, as `[how many, milliseconds]`, and goes where it says. @returns after which commit it went where */
  function moves(...commits: [count: number, sync_ms: number][]): string[] {
    const pace = watchPace()
    let place: Place = 'inline'
    let told = 0
    const found: string[] = []
    for (const [count, sync_ms] of commits)
      for (let index = 0; index < count; index++) {
        told += 1
        const better = pace(place, sync_ms)
        if (better !== place) found.push(`${told} ${better}`)
        place = better
      }
    return found
  }

  test.each<[name: string, commits: [number, number][], found: string[]]>([
    ['quick commits stay on the event loop', [[1_000, 0.1]], []],
    ['commits at the limit stay on the event loop', [[1_000, 0.9]], []],
    ['slow commits leave it after 7', [[7, 1.2]], ['7 thread']],
    [
      'a disk that hangs now and then is no slow disk',
      [
        [3, 900],
        [4, 0.1],
        [4, 0.1],
        [3, 900],
      ],
      [],
    ],
    [
      'mostly slow ones are',
      [
        [3, 0.1],
        [4, 1.2],
      ],
      ['7 thread'],
    ],
    ['slow ones stay on the thread', [[1_000, 1.2]], ['7 thread']],
    [
      'between the limits all stays as it is',
      [
        [7, 1.2],
        [1_000, 0.7],
      ],
      ['7 thread'],
    ],
    [
      'quick ones come back after 64',
      [
        [7, 1.2],
        [64, 0.2],
      ],
      ['7 thread', '71 inline'],
    ],
    [
      'mostly quick ones, too',
      [
        [7, 1.2],
        [31, 9],
        [33, 0.2],
      ],
      ['7 thread', '71 inline'],
    ],
    [
      'what was slow before they came back counts no more',
      [
        [7, 1.2],
        [64, 0.2],
        [3, 9],
        [4, 0.1],
      ],
      ['7 thread', '71 inline'],
    ],
    [
      'a second time they come back later',
      [
        [7, 1.2],
        [64, 0.2],
        [7, 1.2],
        [127, 0.2],
        [1, 0.2],
      ],
      ['7 thread', '71 inline', '78 thread', '206 inline'],
    ],
  ])('%s', (_, commits, found) => {
    expect(moves(...commits)).toEqual(found)
  })
})

/** An executor over a real database that says its commits took what the test wants. */
const saying = (executor: MeasuredExecutor, sync_ms: () => number): MeasuredExecutor => ({
  get sync_ms() {
    return executor.sync_ms === undefined ? undefined : sync_ms()
  },
  commit: (operations, wait_ms) => executor.commit(operations, wait_ms),
  tryToWrite: () => executor.tryToWrite(),
  close: () => executor.close(),
})

/** A ledger over a real file whose disk is as quick as the test says, and where it went. */
async function changing(path: string, starts_on: Place = 'inline') {
  const disk = { sync_ms: 0.1 }
  const moved: string[] = []
  const read = () => disk.sync_ms
  const executor = await autoExecutor({
    inline: saying(inlineExecutor(path), read),
    openThread: async () => saying(await threadExecutor(path), read),
    starts_on,
    onMove: (place, cause) => moved.push(cause === undefined ? place : `${place}: ${cause}`),
  })
  return { ledger: groupCommit(executor), disk, moved }
}

test('under load it changes over both ways: every operation is done once, in order, and answered', () =>
  onDisk({ balance: 1_000_000 }, async (path, db) => {
    const { ledger, disk, moved } = await changing(path)
    const order: number[] = []
    let calls = 0
    const caller = async () => {
      while (moved.length < 4) {
        disk.sync_ms = moved.length % 2 === 0 ? 2 : 0.1
        const held = await ledger.submit(hold(10))
        if (!held.ok) throw new Error(held.refusal)
        order.push(held.hold_id)
        expect(await ledger.submit(post(held.hold_id, 3))).toMatchObject({ ok: true, charged_nanos: 3 })
        calls += 1
      }
    }
    await Promise.all(Array.from({ length: 8 }, caller))
    await ledger.close()
    expect(moved.slice(0, 4)).toEqual(['thread', 'inline', 'thread', 'inline'])
    // Answered in the order of their numbers, from the first to the last.
    expect(order).toEqual(Array.from({ length: calls }, (_, index) => index + 1))
    expect(stateOf(db)).toEqual({
      balance: 1_000_000 - 3 * calls,
      held: 0,
      debt: 0,
      spent: 3 * calls,
      key_held: 0,
    })
    expect(brokenInvariants(db)).toEqual([])
  }))

test('one that starts on the thread comes back when the disk is quick', () =>
  onDisk({ balance: 100 }, async (path, db) => {
    const { ledger, moved } = await changing(path, 'thread')
    for (let commits = 0; commits < 65; commits++) await ledger.submit(topUp(1))
    expect(moved).toEqual(['inline'])
    expect(await ledger.submit(topUp(1))).toMatchObject({ ok: true, balance_nanos: 166 })
    await ledger.close()
    expect(brokenInvariants(db)).toEqual([])
  }))

test('without a thread to be had it stays on the event loop, says so once, and goes on', () =>
  onDisk({ balance: 100 }, async (path) => {
    const moved: string[] = []
    let tried = 0
    const executor = await autoExecutor({
      inline: saying(inlineExecutor(path), () => 9),
      openThread: () => {
        tried += 1
        return Promise.reject(new Error('no thread'))
      },
      starts_on: 'inline',
      onMove: (place, cause) => moved.push(`${place}: ${cause}`),
    })
    const ledger = groupCommit(executor)
    for (let commits = 0; commits < 30; commits++) await ledger.submit(topUp(1))
    expect([tried, moved]).toEqual([1, ['inline: Error: no thread']])
    await ledger.close()
  }))

test.each(['thread', 'inline'] as const)('closing while it changes over to %s ends the change first', (to) =>
  onDisk({ balance: 100 }, async (path, db) => {
    const { ledger, disk, moved } = await changing(path, to === 'thread' ? 'inline' : 'thread')
    disk.sync_ms = to === 'thread' ? 2 : 0.1
    for (let commits = 0; commits < (to === 'thread' ? 7 : 64); commits++) await ledger.submit(topUp(1))
    await ledger.close()
    expect(moved).toEqual([to])
    expect(brokenInvariants(db)).toEqual([])
  }),
)

describe('a process killed while it changes over', () => {
  test.each(['to thread', 'on thread', 'to inline', 'back inline'])(
    '%s has lost nothing that was answered',
    (point) =>
      onDisk({ balance: 1_000_000 }, async (path, db) => {
        const killed = Bun.spawn([process.execPath, `${import.meta.dir}/killed-changing.ts`, path, point], {
          stdout: 'pipe',
          stderr: 'inherit',
        })
        const answered = (await new Response(killed.stdout).text()).trim().split('\n').filter(Boolean)
        await killed.exited
        expect(killed.signalCode).toBe('SIGKILL')
        const posted = answered.map(Number)
        expect(posted.length).toBeGreaterThan(0)
        const calls = db
          .query<{ id: number }, []>('SELECT id FROM calls')
          .all()
          .map(({ id }) => id)
        expect(posted.filter((id) => !calls.includes(id))).toEqual([])
        expect(stateOf(db)).toMatchObject({ balance: 1_000_000 - 3 * calls.length, spent: 3 * calls.length })
        expect(brokenInvariants(db)).toEqual([])
      }),
  )
})
