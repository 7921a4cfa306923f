// The first visit of an account holder: a balance, a key, code for their client, and the first call, which appears by itself.
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type AnswerOf, api, ask } from '../../console/web/app/client.ts'
import { useAsk } from '../../console/web/app/query.ts'
import { useBaseUrl, useViewer } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { useAddressState } from '../../console/web/parts/address-state.ts'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button, ButtonLink } from '../../console/web/parts/button.tsx'
import { Code, Secret } from '../../console/web/parts/code.tsx'
import { CallSnippet } from '../../console/web/parts/code-samples/call-snippet.tsx'
import type { SampleCall } from '../../console/web/parts/code-samples/samples.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../console/web/parts/form.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Money } from '../../console/web/parts/money.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { useRequestKey } from '../../console/web/parts/request-key.ts'
import { Loaded, Skeleton } from '../../console/web/parts/states.tsx'
import { ManyRefused } from '../../refusals/web/many-refused.tsx'
import { useRefusals } from '../../refusals/web/refusals.ts'
import { HiddenKey } from './first-call/hidden-key.tsx'
import { FIRST_MESSAGES, NO_KEY, useFirstCall, WaitForCall } from './first-call/wait-for-call.tsx'
import { putOff } from './put-off.ts'

type StartState = AnswerOf<typeof api.start.get>

/** So that a top-up appears by itself. */
const EVERY_MS = 5_000

export default function Start() {
  const [, go] = useLocation()
  const viewer = useViewer()
  const state = useAsk(['start'], () => api.start.get(), { every_ms: EVERY_MS })
  const refusals = useRefusals({ range: 'hour' })
  return (
    <Page
      title="Get started"
      lead="From your balance to your first call, in a few minutes."
      width="form"
      actions={
        state.data?.due && (
          <Button
            look="quiet"
            onClick={() => {
              putOff(viewer)
              go('/')
            }}
          >
            Do this later
          </Button>
        )
      }
    >
      {refusals.isPending ? (
        <Skeleton rows={8} />
      ) : (
        <Loaded query={state} rows={8}>
          {(data) => (
            <>
              <ManyRefused refusals={refusals.data} />
              <Steps state={data} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  )
}

function Steps({ state }: { state: StartState }) {
  const { key: own } = useViewer()
  const [address, change] = useAddressState({ key: '' })
  const [new_key, setNewKey] = useState<{ id: number; text: string } | null>(null)
  const chosen = /^\d{1,15}$/.test(address.key) ? Number(address.key) : null
  const key_id = own?.id ?? chosen
  return (
    <div className="page">
      <Section title="1. Balance">
        <Balance {...state} />
      </Section>
      <Section title="2. API key">
        {key_id === null ? (
          <MakeKey
            keys={state.keys}
            onMade={(id, text) => {
              setNewKey({ id, text })
              change({ key: String(id) }, { push: true })
            }}
          />
        ) : (
          <TheKey
            key_id={key_id}
            text={new_key?.id === key_id ? new_key.text : undefined}
            onMakeKey={own ? undefined : () => change({ key: '' }, { push: true })}
          />
        )}
      </Section>
      <Client
        key_id={key_id}
        text={new_key?.id === key_id ? new_key?.text : undefined}
        sample_model={state.sample_model}
      />
    </div>
  )
}

function Balance({ available_nanos, debt_nanos }: StartState) {
  const { account } = useViewer()
  if (debt_nanos > 0)
    return (
      <Notice tone="warn">
        You owe {exactUsd(debt_nanos)} USD. Ask your operator to add funds to the account <b>{account}</b>.
        They pay the debt first; then calls work again.
      </Notice>
    )
  if (available_nanos <= 0)
    return (
      <Notice tone="warn">
        You have no balance yet. Ask your operator to add funds to the account <b>{account}</b>. They show up
        here as soon as they arrive. Until then, you can call free models only.
      </Notice>
    )
  return (
    <p>
      You have <Money nanos={available_nanos} balance />. Calls are charged to it. See the prices under{' '}
      <Link href="/models">Models</Link>.
    </p>
  )
}

function MakeKey({ keys, onMade }: { keys: number; onMade: (id: number, text: string) => void }) {
  const [name, setName] = useState('')
  const { keyOf } = useRequestKey()
  const { runOrThrow } = useAction({
    work: (wanted: string) =>
      ask(api.keys.post({ name: wanted === '' ? undefined : wanted, request_key: keyOf(wanted) })),
    changes: ['keys', 'start'],
  })
  async function make(): Promise<void> {
    const { key, text } = await runOrThrow(name.trim())
    onMade(key.id, text)
  }
  return (
    <Form submit={make} aria-label="API key">
      <p className="soft">
        Your programs sign in with an API key.{' '}
        {keys > 0 && 'You already have one, but a key is shown only once. '}
        You can limit each key under <Link href="/keys">Keys</Link>.
      </p>
      <Field label="Name" name="name" help="Such as “laptop”. Optional.">
        <TextInput value={name} onChange={setName} autoComplete="off" />
      </Field>
      <FormActions>
        <SubmitButton>Create key</SubmitButton>
      </FormActions>
    </Form>
  )
}

interface TheKeyProps {
  key_id: number
  /** Until the page is reloaded. */
  text: string | undefined
  /** Undefined for a viewer who signed in with the key. */
  onMakeKey: (() => void) | undefined
}

function TheKey({ key_id, text, onMakeKey }: TheKeyProps) {
  const first = useFirstCall(key_id)
  if (text !== undefined)
    return (
      <>
        <p>Copy the key now. It is shown only once.</p>
        <Secret value={text} />
      </>
    )
  return (
    <Loaded query={first} rows={2}>
      {({ key }) =>
        onMakeKey ? (
          <HiddenKey of={key} onMakeKey={onMakeKey} />
        ) : (
          <p>
            You are signed in with the key <b>{key.name}</b> (<code>{key.prefix}…</code>). Use it in your
            client, too.
          </p>
        )
      }
    </Loaded>
  )
}

interface ClientProps extends Pick<StartState, 'sample_model'> {
  key_id: number | null
  text: string | undefined
}

function Client({ key_id, text, sample_model }: ClientProps) {
  const base_url = useBaseUrl()
  const call: SampleCall = {
    base_url,
    key: text ?? NO_KEY,
    model: sample_model ?? 'MODEL',
    messages: FIRST_MESSAGES,
  }
  return (
    <>
      <Section title="3. Your client">
        <p>
          Set your client’s base URL to this address, and use your key. For OpenAI’s clients, add{' '}
          <code>/v1</code> to it.
        </p>
        <Code what="base address" wraps>
          {base_url}
        </Code>
        <div className="stack">
          <CallSnippet call={call} />
        </div>
        <p className="soft">
          See the <a href="/docs">API reference</a> for all endpoints, or try a model in the{' '}
          <Link href="/playground">Playground</Link>.
        </p>
      </Section>
      <Section title="4. First call">
        {key_id === null ? (
          <p className="soft">Create a key first. Your first call shows up here.</p>
        ) : (
          <CallOfKey key_id={key_id} call={call} />
        )}
      </Section>
    </>
  )
}

function CallOfKey({ key_id, call }: { key_id: number; call: SampleCall }) {
  const first = useFirstCall(key_id)
  return (
    <Loaded query={first} rows={2}>
      {(data) => (
        <>
          <WaitForCall first={data} call={call} />
          {data.call && (
            <div>
              <ButtonLink look="primary" href="/overview">
                Go to the overview
              </ButtonLink>
            </div>
          )}
        </>
      )}
    </Loaded>
  )
}
