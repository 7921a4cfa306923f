// Turns of the event loop: how many steps each has, of one worker and of all; every worker gets its turn.
import { expect, test } from 'bun:test'
import { createTurns } from '../../plugins/responses/socket/turns.ts'

function scene(max_steps: number) {
  const scheduled: (() => void)[] = []
  const turns = createTurns({ max_steps, nextTurn: (run) => scheduled.push(run) })
  const steps: string[] = []
  const worker = (name: string, pieces: number) => {
    let left = pieces
    return {
      step() {
        steps.push(name)
        return --left > 0
      },
    }
  }
  /** @returns the steps of the next turn; undefined if none is scheduled */
  const turn = () => {
    const run = scheduled.shift()
    steps.length = 0
    run?.()
    return run && [...steps]
  }
  return { turns, worker, steps, turn, scheduled }
}

test('a turn has one step of each worker, and three of all together, the longest wait first', () => {
  const { turns, worker, steps, turn } = scene(3)
  for (const [name, pieces] of [
    ['a', 3],
    ['b', 1],
    ['c', 2],
    ['d', 2],
    ['e', 1],
  ] as const)
    turns.add(worker(name, pieces))
  expect(steps).toEqual(['a', 'b', 'c'])
  expect(turn()).toEqual(['a', 'c', 'd'])
  expect(turn()).toEqual(['e', 'a', 'd'])
  expect(turn()).toEqual([])
  expect(turn()).toBeUndefined()
})

test('one worker with much to do has one step in each turn, which a quiet loop takes one after another', () => {
  const { turns, worker, steps, turn, scheduled } = scene(4)
  turns.add(worker('a', 50))
  expect(steps).toEqual(['a'])
  for (let more = 1; more < 50; more++) expect(turn()).toEqual(['a'])
  expect(turn()).toEqual([])
  expect(scheduled).toEqual([])
})

test('a worker that is added again in its turn waits for the next one, and is queued once', () => {
  const { turns, worker, steps, turn } = scene(4)
  const one = worker('a', 2)
  turns.add(one)
  turns.add(one)
  turns.add(one)
  expect(steps).toEqual(['a'])
  expect(turn()).toEqual(['a'])
  expect(turn()).toEqual([])
})
