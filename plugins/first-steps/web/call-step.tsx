// The last step of the checklist: the code of a first call, and its result.
import { Link } from 'wouter'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { useBaseUrl } from '../../console/web/app/session.tsx'
import { Button } from '../../console/web/parts/button.tsx'
import { Code } from '../../console/web/parts/code.tsx'
import { CallSnippet } from '../../console/web/parts/code-samples/call-snippet.tsx'
import { RightLink } from '../../console/web/parts/right-link.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { FIRST_MESSAGES, type FirstCallQuery, NO_KEY, WaitForCall } from './first-call.tsx'
import { type StartState, Step } from './steps.tsx'

/** Whether the viewer's account has made a call. False for the operator, whose view covers all accounts. */
export const hasCalled = ({ due, providers }: StartState): boolean => providers === null && !due

const BeforeKey = () => (
  <p className="soft">
    Create a key here, and its first call shows up here. Calls of other keys are under{' '}
    <Link href="/calls">Calls</Link>.
  </p>
)

interface CallStepProps {
  state: StartState
  key_id: number | null
  first: FirstCallQuery
  text: string | undefined
  onLeave: () => void
}

export function CallStep({ state, key_id, first, text, onLeave }: CallStepProps) {
  const base_url = useBaseUrl()
  const has_seen = first.data?.call != null
  const is_done = has_seen || (key_id === null && hasCalled(state))
  const model = first.data?.sample_model ?? state.sample_model ?? 'MODEL'
  const call = { base_url, key: text ?? NO_KEY, model, messages: FIRST_MESSAGES }
  return (
    <Step title="First call" is_done={is_done}>
      <p className="soft">
        Set your client’s base URL to this address, and use your key. For OpenAI’s clients, add{' '}
        <code>/v1</code> to it. See the <a href={addressOf('/docs')}>API reference</a> for all endpoints, or
        try a model in the{' '}
        <RightLink href="/playground" right="call">
          Playground
        </RightLink>
        .
      </p>
      <Code what="base address" wraps>
        {base_url}
      </Code>
      <div className="stack">
        <CallSnippet call={call} />
      </div>
      {key_id === null ? (
        <BeforeKey />
      ) : (
        <Loaded query={first} rows={2}>
          {(data) => <WaitForCall first={data} call={call} />}
        </Loaded>
      )}
      {has_seen && (
        <div>
          <Button look="primary" onClick={onLeave}>
            Go to the overview
          </Button>
        </div>
      )}
    </Step>
  )
}
