// The last step: the first call, from here or by an SDK, and its charge.

import type { SetupState } from '../../../catalogue/web/new-provider/choices.ts'
import { useBaseUrl } from '../../../console/web/app/session.tsx'
import { Button } from '../../../console/web/parts/button.tsx'
import { Secret } from '../../../console/web/parts/code.tsx'
import { CallSnippet } from '../../../console/web/parts/code-samples/call-snippet.tsx'
import type { SampleCall } from '../../../console/web/parts/code-samples/samples.ts'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { HiddenKey } from '../first-call/hidden-key.tsx'
import { FIRST_MESSAGES, NO_KEY, useFirstCall, WaitForCall } from '../first-call/wait-for-call.tsx'
import type { NewKey } from './account-step.tsx'

interface CallStepProps {
  setup: SetupState
  model: string
  /** The number of the key, as the address has it; null if the step before was skipped. */
  key_id: number | null
  /** With its text, until the page is reloaded. */
  new_key: NewKey | null
  onMakeKey: () => void
  /** The visit is over: goes to the overview. */
  onDone: () => void
}

export function CallStep({ setup, model, key_id, new_key, onMakeKey, onDone }: CallStepProps) {
  const text = new_key?.key_id === key_id ? new_key?.text : undefined
  const call: SampleCall = {
    base_url: useBaseUrl(),
    key: text ?? NO_KEY,
    model: model === '' ? (setup.models[0]?.id ?? 'MODEL') : model,
    messages: FIRST_MESSAGES,
  }
  return (
    <>
      {new_key && text !== undefined && (
        <div className="stack">
          <p>
            The key of <b>{new_key.account}</b>. It is shown only now: copy it to where it will be used.
          </p>
          <Secret value={text} />
        </div>
      )}
      {key_id === null ? (
        <>
          <Snippet call={call} />
          <Done onDone={onDone} />
        </>
      ) : (
        <CallOfKey key_id={key_id} call={call} onMakeKey={onMakeKey} onDone={onDone} />
      )}
    </>
  )
}

interface CallOfKeyProps extends Pick<CallStepProps, 'onMakeKey' | 'onDone'> {
  key_id: number
  call: SampleCall
}

function CallOfKey({ key_id, call, onMakeKey, onDone }: CallOfKeyProps) {
  const first = useFirstCall(key_id)
  return (
    <>
      {call.key === NO_KEY && first.data && <HiddenKey of={first.data.key} onMakeKey={onMakeKey} />}
      <Snippet call={call} />
      <Loaded query={first} rows={2}>
        {(data) => (
          <>
            <WaitForCall first={data} call={call} />
            {data.call && <Done onDone={onDone} />}
          </>
        )}
      </Loaded>
    </>
  )
}

const Snippet = ({ call }: { call: SampleCall }) => (
  <div className="stack">
    <CallSnippet call={call} />
  </div>
)

const Done = ({ onDone }: Pick<CallStepProps, 'onDone'>) => (
  <div>
    <Button look="primary" onClick={onDone}>
      Go to the overview
    </Button>
  </div>
)
