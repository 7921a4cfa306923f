// The bench's window in which all streams flow: from when the last one began until before the first one ends.
import { expect, test } from 'bun:test'
import { watchSteady } from './steady.ts'

type Step = 'started' | 'ended' | 'sample' | 'beyond'

/** Each step uses 10 ms of CPU and brings 100 events; `beyond` is a step that the watch does not see. */
function windowOf(streams: number, steps: readonly Step[]) {
  let step = 0
  const watch = watchSteady(streams, () => ({ cpu_ms: step * 10, events: step * 100 }))
  for (const name of steps) {
    step++
    if (name !== 'beyond') watch[name]()
  }
  return watch.window()
}

test.each<[string, number, Step[], number]>([
  [
    'is between the first sample and the last but one',
    1,
    ['started', 'sample', 'sample', 'sample', 'sample'],
    2,
  ],
  [
    'leaves out the cost of beginnings',
    2,
    ['sample', 'started', 'sample', 'started', 'sample', 'sample', 'sample'],
    1,
  ],
  [
    'leaves out everything after the first end',
    1,
    ['started', 'sample', 'sample', 'sample', 'ended', 'sample'],
    1,
  ],
  [
    'counts everything between two samples',
    1,
    ['started', 'sample', 'beyond', 'beyond', 'sample', 'sample'],
    3,
  ],
])('the window %s', (_, streams, steps, expected_steps) => {
  expect(windowOf(streams, steps)).toEqual({ cpu_ms: expected_steps * 10, events: expected_steps * 100 })
})

test.each<[string, number, Step[]]>([
  ['nothing began', 1, ['sample', 'sample', 'sample', 'sample']],
  ['one stream is missing', 2, ['started', 'sample', 'sample', 'sample', 'sample']],
  ['one ended before the last began', 2, ['started', 'ended', 'started', 'sample', 'sample', 'sample']],
  ['the streams were too short for three samples', 1, ['started', 'sample', 'sample', 'ended', 'sample']],
])('a load has no window if %s', (_, streams, steps) => {
  expect(windowOf(streams, steps)).toBeNull()
})
