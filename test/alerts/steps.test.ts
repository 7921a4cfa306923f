// Steps of alerts, as a table of moments: raised once, over, back before their end, ended, and rules that could not be checked.
import { expect, test } from 'bun:test'
import {
  type Condition,
  END_AFTER_MS,
  MAX_OPEN,
  type OpenAlert,
  stepsOf,
} from '../../plugins/alerts/steps.ts'

const MINUTE_MS = 60_000
const condition = (subject: string, rule: Condition['rule'] = 'low_balance'): Condition => ({
  rule,
  subject,
  account_id: null,
  sentence: `${subject} is low.`,
})
const EVERY: ReadonlySet<string> = new Set(['low_balance', 'disk'])

/** A minute, and the subjects that are low then; `?` if the rule could not be checked. */
type Moment = `${number}${string}`

/** The alerts raised (+) and ended (-) at each moment. */
function changesAt(moments: readonly Moment[]): string[] {
  let open: OpenAlert[] = []
  let id = 0
  return moments.map((moment) => {
    const [minute, ...words] = moment.split(' ')
    const checked_rules = words.includes('?') ? new Set<string>() : EVERY
    const conditions = words.filter((word) => word !== '?').map((subject) => condition(subject))
    const now_ms = Number(minute) * MINUTE_MS
    const { raise, over, back, end } = stepsOf(open, conditions, { checked_rules, now_ms })
    const changes = [
      ...raise.map(({ subject }) => `+${subject}`),
      ...open.filter((one) => end.includes(one.id)).map(({ subject }) => `-${subject}`),
    ]
    open = [
      ...open
        .filter((one) => !end.includes(one.id))
        .map((one) => {
          if (over.includes(one.id)) return { ...one, over_since_ms: now_ms }
          return back.includes(one.id) ? { ...one, over_since_ms: null } : one
        }),
      ...raise.map(({ rule, subject }) => ({ id: ++id, rule, subject, over_since_ms: null })),
    ]
    return changes.join(' ')
  })
}

const END_MIN = END_AFTER_MS / MINUTE_MS

test.each<[string, readonly Moment[], string[]]>([
  ['nothing', ['0'], ['']],
  ['one, raised once', ['0 a', '1 a', '2 a'], ['+a', '', '']],
  ['two, each of its own', ['0 a', '1 a b', '2 b', '20 b'], ['+a', '+b', '', '-a']],
  ['one that is over for long enough', ['0 a', '1', `${1 + END_MIN}`], ['+a', '', '-a']],
  ['one that is not over for long enough', ['0 a', '1', `${END_MIN}`], ['+a', '', '']],
  [
    'one that comes and goes is one alert',
    ['0 a', '1', '5 a', '6', '12 a', '13', `${13 + END_MIN}`],
    ['+a', '', '', '', '', '', '-a'],
  ],
  ['one that comes back after its end', ['0 a', '1', '11', '12 a'], ['+a', '', '-a', '+a']],
  ['one that could not be checked', ['0 a', '1 ?', '30 ?', '31 a'], ['+a', '', '', '']],
  ['one that is over, and was not checked later on', ['0 a', '1', '20 ?', '21'], ['+a', '', '', '-a']],
])('%s', (_, moments, changes) => {
  expect(changesAt(moments)).toEqual(changes)
})

test('a rule has a maximum of open alerts: others of it wait for room, those of other rules do not', () => {
  const many = Array.from({ length: MAX_OPEN + 1 }, (_, index) => condition(`a${index}`))
  const { raise } = stepsOf([], [...many, condition('', 'disk')], { checked_rules: EVERY, now_ms: 0 })
  expect(raise).toHaveLength(MAX_OPEN + 1)
  expect(raise.at(-1)?.rule).toBe('disk')
  const open = raise.map(({ rule, subject }, id) => ({
    id,
    rule,
    subject,
    over_since_ms: id === 0 ? 0 : null,
  }))
  const later = stepsOf(open, [...many.slice(1), condition('', 'disk')], {
    checked_rules: EVERY,
    now_ms: END_AFTER_MS,
  })
  expect(later.end).toEqual([0])
  expect(later.raise.map(({ subject }) => subject)).toEqual([`a${MAX_OPEN}`])
})
