// A table that adds up top-ups, charges and refunds to the balance of all accounts.
import type { AuditReport } from '../../../src/app/process/full-audit.ts'
import { aligned, countNoun } from '../../console/web/parts/amounts.ts'

export function BooksSum({ totals }: { totals: AuditReport['totals'] }) {
  const lines: [sign: string, label: string, nanos: number, note: string][] = [
    ['', 'Topped up', totals.topped_up_nanos, countNoun(totals.accounts, 'account')],
    ['−', 'Charged for calls', totals.charged_nanos, countNoun(totals.calls, 'call')],
    ['', 'Refunded', totals.refunded_nanos, ''],
    ['−', 'Debited', totals.withdrawn_nanos, ''],
  ]
  const text = aligned([...lines.map(([, , nanos]) => nanos), totals.balance_nanos])
  return (
    <table className="books-sum" aria-label="The books as one sum">
      <tbody>
        {lines.map(([sign, label, nanos, note]) => (
          <tr key={label}>
            <th scope="row">
              {label} <span className="soft small">{note}</span>
            </th>
            <td>
              {sign} {text(nanos)}
            </td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <th scope="row">
            Balance of all accounts <span className="soft small">{notesOf(totals)}</span>
          </th>
          <td>{text(totals.balance_nanos)} USD</td>
        </tr>
      </tfoot>
    </table>
  )
}

function notesOf({ held_nanos, held_usd, debt_nanos, debt_usd }: AuditReport['totals']): string {
  const notes = [
    ...(held_nanos > 0 ? [`${held_usd} held for running calls`] : []),
    ...(debt_nanos > 0 ? [`${debt_usd} in debt`] : []),
  ]
  return notes.join('; ')
}
