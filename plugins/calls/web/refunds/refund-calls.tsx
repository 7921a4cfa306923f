// Button and dialog that refund the calls of a filter, with their number and amount.
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { type AnswerOf, api, send } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { useChosenAccount } from '../../../console/web/parts/account-choice.tsx'
import { ActionForm } from '../../../console/web/parts/action-form.tsx'
import { count, countNoun, exactUsd } from '../../../console/web/parts/amounts.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { shellQuote } from '../../../console/web/parts/code-samples/samples.ts'
import { DialogActions } from '../../../console/web/parts/dialog.tsx'
import { DialogButton } from '../../../console/web/parts/dialog-buttons.tsx'
import { Field } from '../../../console/web/parts/field.tsx'
import { TextInput } from '../../../console/web/parts/input.tsx'
import { useRequestKey } from '../../../console/web/parts/request-key.ts'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { CHANGED_BY_REFUND, reasonOption } from './refund-call.tsx'

type Query = NonNullable<NonNullable<Parameters<typeof api.refunds.get>[0]>['query']>
type Refundable = AnswerOf<typeof api.refunds.get>

export const RefundCalls = ({ query }: { query: Query }) => (
  <DialogButton
    icon={Undo2}
    title="Refund the filtered calls"
    content={(close) => <RefundsOf query={query} onClose={close} />}
  >
    Refund these calls
  </DialogButton>
)

function RefundsOf({ query, onClose }: { query: Query; onClose: () => void }) {
  const found = useApi(['refund', 'calls', query], () => api.refunds.get({ query }))
  return (
    <Loaded query={found} rows={3}>
      {(refundable) =>
        refundable.calls === 0 ? (
          <>
            <p>None of these calls has a charge to refund.</p>
            <DialogActions>
              <Button onClick={onClose}>Close</Button>
            </DialogActions>
          </>
        ) : (
          <RefundsForm query={query} refundable={refundable} onClose={onClose} />
        )
      }
    </Loaded>
  )
}

interface RefundsFormProps {
  query: Query
  refundable: Refundable
  onClose: () => void
}

/** Refunds the calls that were counted when the dialog opened, without newer ones. */
function RefundsForm({ query, refundable, onClose }: RefundsFormProps) {
  const [counted_calls] = useState(refundable)
  const { calls, accounts, amount_nanos, has_more, call_ids } = counted_calls
  const [reason, setReason] = useState('')
  const { keyOf, forget } = useRequestKey()
  const refund = () => {
    const body = { call_ids, reason: reason.trim() }
    return send(api.refunds.post(body, { headers: { 'idempotency-key': keyOf(JSON.stringify(body)) } }))
  }
  return (
    <ActionForm
      label="Refund calls"
      work={refund}
      changes={CHANGED_BY_REFUND}
      done={({ calls, amount_nanos, skipped }) =>
        `${countNoun(calls, 'call')} refunded, ${exactUsd(amount_nanos)} USD.${skipped > 0 ? ` ${countNoun(skipped, 'call')} had been refunded meanwhile.` : ''}`
      }
      onClose={onClose}
      onDone={() => {
        forget()
        onClose()
      }}
      verb={`Refund ${countNoun(calls, 'call')}`}
      command={useCommand(query, reason)}
    >
      <p>
        <b>
          {countNoun(calls, `${OUTCOME_WORDS[query.outcome ?? ''] ?? ''}call`)}, {exactUsd(amount_nanos)} USD
        </b>
        , of {countNoun(accounts, 'account')}. Each charge goes back to its account, less what was refunded
        before. Debt is paid first.
      </p>
      {has_more && (
        <p>More calls match. These are the newest {count(calls)}: refund the others after them.</p>
      )}
      <Field label="Reason" name="reason" help="Optional. The account holders see it.">
        <TextInput value={reason} onChange={setReason} autoComplete="off" />
      </Field>
    </ActionForm>
  )
}

/** Adjectives before "calls". */
const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  completed: 'completed ',
  failed: 'failed ',
  broken: 'interrupted ',
  cancelled: 'cancelled ',
}

/** Returns the command; undefined for a filter by days, which the command reads in its machine's zone, and until the account is loaded. */
function useCommand(
  { since, until, zone: _, outcome, min_cost, account, ...query }: Query,
  reason: string,
): string | undefined {
  const { chosen } = useChosenAccount(account)
  if (since !== undefined || until !== undefined || outcome === 'refused') return undefined
  if (account !== undefined && !chosen) return undefined
  const options = {
    account: chosen?.name,
    ...query,
    'min-cost': min_cost,
    // The command's filter by provider always means the calls that it answered.
    outcome: outcome === 'call' || outcome === 'answered' ? undefined : outcome,
  }
  const words = Object.entries(options).flatMap(([name, value]) =>
    value === undefined ? [] : [` --${name} ${shellQuote(String(value))}`],
  )
  return words.length === 0 ? undefined : `tollgate refund${words.join('')}${reasonOption(reason)}`
}
