// The page part that waits for a key's first call, and then shows it with its charge.
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useCallback, useEffect } from 'react'
import { Link } from 'wouter'
import { announce } from '../../console/web/app/announce.ts'
import { type AnswerOf, ApiError, api, pathPart, sendRaw } from '../../console/web/app/client.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useViewer } from '../../console/web/app/session.tsx'
import { countNoun, duration } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import type { SampleCall } from '../../console/web/parts/code-samples/samples.ts'
import { Facts } from '../../console/web/parts/facts.tsx'
import { LIVE_PATH, type LiveEvent, useLive } from '../../console/web/parts/live.ts'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Status } from '../../console/web/parts/status.tsx'
import { ClockTime } from '../../console/web/parts/time.tsx'
import { refusalReason } from '../../refusals/web/refusals.ts'
import { RefusalAdvice } from '../../refusals/web/refused.tsx'

type FirstCall = AnswerOf<(typeof api)['first-call']['get']>

export type FirstCallQuery = ReturnType<typeof useFirstCall>

export const FIRST_MESSAGES = [{ role: 'user', content: 'Say hello to the new gateway.' }] as const
/** Polled, since the live feed does not contain refused requests. */
const REFRESH_EVERY_MS = 2_000

/** A key with its newest call; until the first call it is refetched whenever a call may have ended. */
export function useFirstCall(key_id: number | null) {
  const query = useApi(
    ['first-call', key_id],
    () => api['first-call'].get({ query: { key_id: String(key_id) } }),
    { enabled: key_id !== null, is_of_one: true },
  )
  const { data, refetch } = query
  const refresh = useCallback(() => void refetch(), [refetch])
  useCallsOf(data?.key.prefix, refresh, data?.call === null)
  return query
}

/** @param call the call of the snippet; with a known key the page can send it */
export function WaitForCall({ first, call }: { first: FirstCall; call: SampleCall & { key?: string } }) {
  const { call: first_call } = first
  useEffect(() => {
    if (first_call) announce(`Your first call is here. It was charged ${first_call.cost_usd} USD.`)
  }, [first_call])
  if (first_call) return <FirstCallFacts call={first_call} account={first.key.account} />
  return (
    <>
      {first.refusal && <Refused {...first.refusal} />}
      <p role="status">
        <Status tone="busy">
          {first.refusal ? 'Waiting for another call…' : 'Waiting for your first call…'}
        </Status>
      </p>
      {call.key !== undefined && call.key !== NO_KEY && (
        <SendFromHere call={call} refused={first.refusal?.request_id} />
      )}
    </>
  )
}

function Refused({ request_id, code, sentence, refused_at_ms }: NonNullable<FirstCall['refusal']>) {
  return (
    <Notice tone="warn" alert>
      <p>
        <b>Your call was refused: {refusalReason(code)}.</b> “{sentence}”
      </p>
      <p>
        <RefusalAdvice code={code} /> Then call again.{' '}
        <Link href={`/calls/${pathPart(request_id)}`}>See the request</Link> of{' '}
        <ClockTime at_ms={refused_at_ms} />.
      </p>
    </Notice>
  )
}

export const NO_KEY = 'YOUR_KEY'

/** Calls `refresh` whenever a call of the key may have ended: on events of the live feed, and at intervals. */
function useCallsOf(prefix: string | undefined, refresh: () => void, enabled: boolean): void {
  const listen = (event: LiveEvent): void => {
    if (event.type === 'skipped' || (event.type === 'settled' && event.key === prefix)) refresh()
  }
  useLive<LiveEvent>(LIVE_PATH, listen, { enabled })
  useEffect(() => {
    if (!enabled) return
    const timer = setInterval(refresh, REFRESH_EVERY_MS)
    return () => clearInterval(timer)
  }, [enabled, refresh])
}

function SendFromHere({ call: { key, model }, refused }: { call: SampleCall; refused: string | undefined }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn() {
      const body = JSON.stringify({ model, messages: FIRST_MESSAGES })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return sendRaw('/v1/chat/completions', { method: 'POST', headers, body, credentials: 'omit' })
    },
  })
  return (
    <>
      {error && !(error instanceof ApiError && error.request_id === refused) && (
        <Notice tone="bad" alert>
          {error.message}
        </Notice>
      )}
      <div>
        <Button look="primary" icon={Send} busy={isPending} onClick={() => mutate()}>
          Send from here
        </Button>
      </div>
    </>
  )
}

function FirstCallFacts({ call, account }: { call: NonNullable<FirstCall['call']>; account: string }) {
  const { side } = useViewer()
  const is_good = call.outcome === 'completed'
  return (
    <>
      <Notice tone={is_good ? 'good' : 'warn'}>
        {is_good ? (
          <>
            Your first call worked. It cost <Money nanos={call.cost_nanos} exact />.
          </>
        ) : (
          <>Your first call failed with status {call.status}. Open it to see why.</>
        )}
      </Notice>
      <Facts
        facts={[
          ['Model', <code key="model">{call.model}</code>],
          [
            'Tokens',
            `${countNoun(call.input_tokens, 'input token')}, ${countNoun(call.output_tokens, 'output token')}`,
          ],
          ['Duration', duration(call.duration_ms)],
          ['Charge', <Money key="charge" nanos={call.cost_nanos} exact />],
          [
            side === 'operator' ? `${account}’s balance` : 'Balance',
            <Money key="left" nanos={call.left_nanos} balance />,
          ],
          [
            'Request ID',
            <Link key="id" href={`/calls/${pathPart(call.request_id)}`}>
              {call.request_id}
            </Link>,
          ],
        ]}
      />
    </>
  )
}
