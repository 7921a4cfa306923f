// The failures that fail a run of the suite: repeated failures, files that cannot be loaded, and more than two unstable files.
import { describe, expect, test } from 'bun:test'
import { errorsBetween, type Failure, failuresOf, MAX_UNSTABLE_FILES, rowOf, verdictOf } from './failures.ts'

/** As `bun test --reporter=junit` writes it, of Bun 1.4.5. */
const REPORT = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="5" assertions="1" failures="3" skipped="0" time="0.21">
  <testsuite name="test/a.test.ts" file="test/a.test.ts" tests="3" assertions="1" failures="2" skipped="0" time="0.01" hostname="h">
    <testsuite name="one &quot;x&quot; &amp; y" file="test/a.test.ts" line="2" tests="3" assertions="1" failures="2" skipped="0" time="0" hostname="h">
      <testcase name="works" classname="one" time="0.000019" file="test/a.test.ts" line="2" assertions="0" />
      <testcase name="fails &lt;1&gt;" classname="one" time="0.000378" file="test/a.test.ts" line="2" assertions="1">
        <failure type="AssertionError" message="expect(received).toBe(expected)&#10;&#10;Expected: 2&#10;Received: 1|3&#10;">AssertionError</failure>
      </testcase>
      <testcase name="fails, too" classname="one" time="0.000378" file="test/a.test.ts" line="2" assertions="1">
        <failure type="TimeoutError" message="test timed out" />
      </testcase>
      <testcase name="rejects with no Error" classname="one" time="0.000378" file="test/a.test.ts" line="2" assertions="1">
        <failure type="Error">error&#10;</failure>
      </testcase>
    </testsuite>
  </testsuite>
  <testsuite name="test/b.test.ts" file="test/b.test.ts" tests="1" assertions="0" failures="0" skipped="0" time="0.01" hostname="h">
    <testcase name="works" classname="" time="0.00085" file="test/b.test.ts" assertions="0" />
  </testsuite>
  <testsuite name="test/c.test.ts" file="test/c.test.ts" tests="1" assertions="0" failures="1" skipped="0" time="0.022" hostname="h">
    <testcase name="(worker crashed)" classname="" time="0" file="test/c.test.ts" assertions="0">
      <failure type="Error" message="worker process crashed before reporting results" />
    </testcase>
  </testsuite>
</testsuites>
`
const FILES = ['a', 'b', 'c', 'd'].map((name) => `test/${name}.test.ts`)

describe('a report', () => {
  test('names the files with failures, their tests, and those that could not be loaded', () => {
    expect(failuresOf(REPORT, FILES)).toEqual([
      {
        file: 'test/a.test.ts',
        tests: ['fails <1>', 'fails, too', 'rejects with no Error'],
        message: 'expect(received).toBe(expected) Expected: 2 Received: 1|3',
      },
      {
        file: 'test/c.test.ts',
        tests: ['(worker crashed)'],
        message: 'worker process crashed before reporting results',
      },
      { file: 'test/d.test.ts', tests: [], message: 'it could not be loaded, or did not run' },
    ])
  })

  test('names a file whose only failure has no message', () => {
    const [, , , , silent = ''] = REPORT.split('<testcase name="')
    const alone = `  <testsuite name="test/e.test.ts" file="test/e.test.ts" tests="1" failures="1">\n<testcase name="${silent}`
    expect(failuresOf(alone, ['test/e.test.ts'])).toMatchObject([{ tests: ['rejects with no Error'] }])
  })

  test('that is missing names all files', () => {
    expect(failuresOf('', FILES).map(({ file }) => file)).toEqual(FILES)
  })
})

const failure = (file: string): Failure => ({ file, tests: ['one'], message: 'it' })
const verdict = (again: Readonly<Record<string, boolean | undefined>>) => {
  const rerun = Object.entries(again).flatMap(([file, passed]) =>
    passed === undefined ? [] : [[file, passed] as const],
  )
  return verdictOf(Object.keys(again).map(failure), new Map(rerun))
}

describe('a run that failed', () => {
  test.each<[string, Record<string, boolean | undefined>, boolean, string[]]>([
    ['passes if its only failure passes alone', { a: true }, true, ['a']],
    ['passes with two such failures', { a: true, b: true }, true, ['a', 'b']],
    ['fails with three, even if all pass alone', { a: true, b: true, c: true }, false, ['a', 'b', 'c']],
    ['fails if its only failure fails alone, too', { a: false }, false, []],
    ['fails if one of two does', { a: true, b: false }, false, ['a']],
    ['fails if one did not run again', { a: true, b: undefined }, false, ['a']],
    ['fails if none ran again', { a: undefined, b: undefined, c: undefined }, false, []],
    ['fails without a known failure', {}, false, []],
  ])('%s', (_, again, passed, unstable) => {
    const { words, ...found } = verdict(again)
    expect(found).toEqual({ passed, unstable: unstable.map(failure) })
    expect(words.includes('unstable: ')).toBe(unstable.length > 0)
    expect(words.includes('failed')).toBe(!Object.values(again).every(Boolean) || unstable.length === 0)
    expect(words.includes('fail the run')).toBe(unstable.length > MAX_UNSTABLE_FILES)
  })

  const OUTPUT = `# Unhandled error between tests
-------------------------------
error: waitFor: Timeout 25000ms exceeded.
      at /checkout/test/a.test.ts:39:48
-------------------------------
`
  test.each<[string, string, string, boolean]>([
    ['fails after an error between tests, even if all pass alone', 'a', 'it', false],
    ['fails after one of another file than the test that timed out', 'b', 'test timed out', false],
    ['passes after one of a test that timed out and passes alone', 'a', 'test timed out', true],
  ])('%s', (_, name, message, passes) => {
    const file = `test/${name}.test.ts`
    const between = errorsBetween(OUTPUT)
    expect(between).toEqual([expect.stringContaining('at /checkout/test/a.test.ts:39:48')])
    const found = verdictOf([{ file, tests: ['two'], message }], new Map([[file, true]]), between)
    expect(found.passed).toBe(passes)
    expect(found.words.includes('An error between tests fails the run')).toBe(!passes)
  })

  test('prints the row of an unstable file for test/unstable.md', () => {
    const [first] = failuresOf(REPORT, FILES)
    if (!first) throw new Error('the report has failures')
    expect(rowOf(first, '2026-11-28', 7)).toBe(
      '| 2026-11-28 | a.test.ts | fails <1>; fails, too; rejects with no Error | expect(received).toBe(expected) Expected: 2 Received: 1\\|3 (TOLLGATE_SEED=7) | |',
    )
  })
})
