// Timeline of an order: its creation, and each change of the order and its refunds.
import { ClockTime } from '../../console/web/parts/time.tsx'
import { utcDate } from '../../console/web/parts/time-words.ts'
import { type Order, REFUND_STATES, STATES, sourceWords } from './words.ts'

type Change = Order['changes'][number]

function wordOf({ subject, refund_id, from, to }: Change): string {
  if (subject === 'refund')
    return `Refund ${refund_id}: ${to in REFUND_STATES ? REFUND_STATES[to as keyof typeof REFUND_STATES].word.toLowerCase() : to}`
  if (from === to) return 'Needs attention'
  return to in STATES ? STATES[to as keyof typeof STATES].word : to
}

/** Formats the details of a change, such as "paid: 25.00 EUR". */
const detailOf = ({ detail }: Change): string =>
  Object.entries(detail ?? {})
    .map(([name, value]) =>
      name === 'due_ms'
        ? `answer by ${utcDate(Number(value))}`
        : name === 'trouble' || name === 'message'
          ? String(value)
          : `${name}: ${String(value)}`,
    )
    .join(', ')

export function Timeline({ order }: { order: Order }) {
  const { created_at_ms, person, kind, changes, plan } = order
  const charge = plan === null ? 'automatic top-up' : 'renewal of a plan'
  const maker = kind === 'automatic' ? charge : person === null ? undefined : `by ${person}`
  return (
    <ol className="payments-timeline">
      <li>
        <Line at_ms={created_at_ms} word="Order created" notes={[maker]} />
      </li>
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes are only added, at the end
        <li key={at}>
          <Line
            at_ms={change.changed_at_ms}
            word={wordOf(change)}
            notes={[sourceWords(change.source), detailOf(change)]}
          />
        </li>
      ))}
    </ol>
  )
}

function Line({
  at_ms,
  word,
  notes,
}: {
  at_ms: number
  word: string
  notes: readonly (string | undefined)[]
}) {
  const present = notes.filter((note) => note)
  return (
    <>
      <b>{word}</b>{' '}
      <span className="soft">
        <ClockTime at_ms={at_ms} />
      </span>
      {present.length > 0 && <div className="small soft">{present.join(' · ')}</div>}
    </>
  )
}
