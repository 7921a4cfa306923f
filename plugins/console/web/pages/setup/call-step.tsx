// The last step: the first call, from here or by an SDK, and what it was charged.
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useCallback, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { announce } from '../../app/announce.ts'
import { api, askRaw, part } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useBaseUrl } from '../../app/session.tsx'
import { count, duration } from '../../parts/amounts.ts'
import { Button } from '../../parts/button.tsx'
import { Secret } from '../../parts/code.tsx'
import { CallSnippet } from '../../parts/code-samples/call-snippet.tsx'
import type { SampleCall } from '../../parts/code-samples/samples.ts'
import { Facts } from '../../parts/facts.tsx'
import { useLive } from '../../parts/live.ts'
import { LIVE_PATH, type LiveEvent } from '../../parts/live-event.ts'
import { Money } from '../../parts/money.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { FirstCallView, MadeKey, SetupState } from '../../parts/providers/choices.ts'
import { Status } from '../../parts/status.tsx'

const MESSAGES = [{ role: 'user', content: 'Say hello to the new gateway.' }] as const
/** If there is no live feed. */
const ASK_EVERY_MS = 2_000

interface CallStepProps {
  setup: SetupState
  model: string
  /** Null if the step before was skipped. */
  made: MadeKey | null
  /** The visit is over: goes to the overview. */
  onDone: () => void
}

const Done = ({ onDone }: Pick<CallStepProps, 'onDone'>) => (
  <div>
    <Button look="primary" onClick={onDone}>
      Go to the overview
    </Button>
  </div>
)

export function CallStep({ setup, model, made, onDone }: CallStepProps) {
  const call: SampleCall = {
    base_url: useBaseUrl(),
    key: made?.text ?? 'YOUR_KEY',
    model: model === '' ? (setup.models[0]?.id ?? 'MODEL') : model,
    messages: MESSAGES,
  }
  return (
    <>
      {made && (
        <div className="stack">
          <p>
            The key of <b>{made.account}</b>. It is shown only now: copy it to where it will be used.
          </p>
          <Secret value={made.text} />
        </div>
      )}
      <div className="stack">
        <CallSnippet call={call} />
      </div>
      {made ? <Waiting made={made} call={call} onDone={onDone} /> : <Done onDone={onDone} />}
    </>
  )
}

interface WaitingProps extends Pick<CallStepProps, 'onDone'> {
  made: MadeKey
  call: SampleCall
}

function Waiting({ made, call, onDone }: WaitingProps) {
  const [seen, setSeen] = useState<FirstCallView['call']>(null)
  const is_waiting = seen === null
  const { data, refetch } = useAsk(
    ['setup', 'first-call', made.key_id],
    () => api.setup['first-call'].get({ query: { key_id: String(made.key_id) } }),
    // It asks when it is told to.
    { enabled: false },
  )
  const ask = useCallback(() => void refetch(), [refetch])
  useCallsOf(made.prefix, ask, is_waiting)
  const first = data?.call ?? null
  useEffect(() => {
    if (!first) return
    setSeen(first)
    announce(`Your first call is here. It was charged ${first.cost_usd} USD.`)
  }, [first])
  if (!is_waiting)
    return (
      <>
        <FirstCallSeen call={seen} account={made.account} />
        <Done onDone={onDone} />
      </>
    )
  return (
    <>
      <p className="setup-waiting" role="status">
        <Status tone="busy">Waiting for your first call…</Status>
      </p>
      <SendFromHere call={call} />
    </>
  )
}

/** Calls `ask` whenever a call of the key may have ended: as the live feed tells it, and by the clock while the feed is down. */
function useCallsOf(prefix: string, ask: () => void, enabled: boolean): void {
  const hear = (event: LiveEvent): void => {
    if (event.type === 'skipped' || (event.type === 'settled' && event.key === prefix)) ask()
  }
  const state = useLive<LiveEvent>(LIVE_PATH, hear, { enabled })
  useEffect(() => {
    if (!enabled) return
    // What ended before the feed was open, or while it was lost.
    ask()
    if (state === 'open') return
    const timer = setInterval(ask, ASK_EVERY_MS)
    return () => clearInterval(timer)
  }, [enabled, state, ask])
}

/** The call as the snippet makes it, by the browser. */
function SendFromHere({ call: { key, model } }: { call: SampleCall }) {
  const { mutate, isPending, error } = useMutation({
    mutationFn() {
      const body = JSON.stringify({ model, messages: MESSAGES })
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      return askRaw('/v1/chat/completions', { method: 'POST', headers, body, credentials: 'omit' })
    },
  })
  return (
    <>
      {error && (
        <Notice tone="bad" alert>
          {error.message}
        </Notice>
      )}
      <div>
        <Button look="primary" icon={Send} busy={isPending} onClick={() => mutate()}>
          Send it from here
        </Button>
      </div>
    </>
  )
}

function FirstCallSeen({ call, account }: { call: NonNullable<FirstCallView['call']>; account: string }) {
  const is_good = call.outcome === 'completed'
  return (
    <>
      <Notice tone={is_good ? 'good' : 'warn'}>
        {is_good ? (
          <>
            Your first call was paid: <Money nanos={call.cost_nanos} exact />.
          </>
        ) : (
          <>Your first call came, and ended with status {call.status}. Open it to see why.</>
        )}
      </Notice>
      <Facts
        facts={[
          ['Model', <code key="model">{call.model}</code>],
          ['Tokens', `${count(call.input_tokens)} read, ${count(call.output_tokens)} written`],
          ['Time', duration(call.duration_ms)],
          ['Charge', <Money key="charge" nanos={call.cost_nanos} exact />],
          [`Left of ${account}’s balance`, <Money key="left" nanos={call.left_nanos} exact />],
          [
            'Request id',
            <Link key="id" href={`/calls/${part(call.request_id)}`}>
              {call.request_id}
            </Link>,
          ],
        ]}
      />
    </>
  )
}
