// The operator's first visit: from a provider to a paid call in four steps, each of which can be skipped and reopened.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { AddProvider } from '../../../catalogue/web/new-provider/add-provider.tsx'
import type { SetupState } from '../../../catalogue/web/new-provider/choices.ts'
import { api } from '../../../console/web/app/client.ts'
import { useAsk } from '../../../console/web/app/query.ts'
import { useViewer } from '../../../console/web/app/session.tsx'
import { useAddressState } from '../../../console/web/parts/address-state.ts'
import { Button } from '../../../console/web/parts/button.tsx'
import { Page } from '../../../console/web/parts/page.tsx'
import { Loaded } from '../../../console/web/parts/states.tsx'
import { putOff } from '../put-off.ts'
import { AccountStep, type NewKey } from './account-step.tsx'
import { CallStep } from './call-step.tsx'
import { ModelStep } from './model-step.tsx'
import { STEPS, type Step, Steps } from './steps.tsx'

const START = { step: 'provider', provider: '', tried: '', model: '', account: '', key: '' }

export default function Setup() {
  const setup = useAsk(['setup'], () => api.setup.get())
  return (
    <Page
      title="First steps"
      lead="Add a provider, a model and an account, then make the first paid call."
      width="form"
    >
      <Loaded query={setup}>
        {(state) => <Wizard setup={state} refresh={() => void setup.refetch()} />}
      </Loaded>
    </Page>
  )
}

function Wizard({ setup, refresh }: { setup: SetupState; refresh: () => void }) {
  const [state, change] = useAddressState(START)
  const [new_key, setNewKey] = useState<NewKey | null>(null)
  const [, go] = useLocation()
  const viewer = useViewer()
  const step = STEPS.find(({ value }) => value === state.step)?.value ?? 'provider'
  const { provider, tried: tested_model, model } = state
  const key_id = /^\d{1,15}$/.test(state.key) ? Number(state.key) : null

  function next(from: Step, chosen: Partial<typeof START> = {}): void {
    const at = STEPS.findIndex(({ value }) => value === from)
    change({ ...chosen, step: STEPS[at + 1]?.value ?? 'call' }, { push: true })
    refresh()
  }
  function leave(): void {
    putOff(viewer)
    go('/')
  }
  const done = { provider: provider !== '', model: model !== '', account: key_id !== null, call: false }
  return (
    <div className="setup">
      <Steps current={step} done={done} onGo={(value) => change({ step: value }, { push: true })} />
      <div className="stack">
        <h2>{STEPS.find(({ value }) => value === step)?.question}</h2>
        {step === 'provider' && (
          <AddProvider
            setup={setup}
            onDone={(name, tested_model) =>
              next('provider', { provider: name, tried: tested_model, model: '' })
            }
          />
        )}
        {step === 'model' && (
          <ModelStep
            setup={setup}
            provider={provider}
            tested_model={tested_model}
            onDone={(id) => next('model', { model: id })}
          />
        )}
        {step === 'account' && (
          <AccountStep
            setup={setup}
            account={state.account}
            onDone={(key) => {
              setNewKey(key)
              next('account', { account: key.account, key: String(key.key_id) })
            }}
          />
        )}
        {step === 'call' && (
          <CallStep
            setup={setup}
            model={model}
            key_id={key_id}
            new_key={new_key}
            onMakeKey={() => change({ step: 'account' }, { push: true })}
            onDone={leave}
          />
        )}
        {step !== 'call' && <Ways onSkip={() => next(step)} onLater={setup.due ? leave : undefined} />}
      </div>
    </div>
  )
}

interface WaysProps {
  onSkip: () => void
  /** Undefined once the visit is over. */
  onLater: (() => void) | undefined
}

const Ways = ({ onSkip, onLater }: WaysProps) => (
  <div className="setup-ways">
    <Button look="quiet" small onClick={onSkip}>
      Skip this step
    </Button>
    {onLater && (
      <Button look="quiet" small onClick={onLater}>
        Do this later
      </Button>
    )}
  </div>
)
