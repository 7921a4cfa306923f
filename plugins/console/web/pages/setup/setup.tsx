// The first visit: from a provider to a paid call in four steps, each of which can be skipped and come back to.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../app/client.ts'
import { useAsk } from '../../app/query.ts'
import { useAddressState } from '../../parts/address-state.ts'
import { Button } from '../../parts/button.tsx'
import { putOff } from '../../parts/first-visit-put-off.ts'
import { Page } from '../../parts/page.tsx'
import { AddProvider } from '../../parts/providers/add-provider.tsx'
import type { MadeKey, SetupState } from '../../parts/providers/choices.ts'
import { Loaded } from '../../parts/states.tsx'
import { AccountStep } from './account-step.tsx'
import { CallStep } from './call-step.tsx'
import { ModelStep } from './model-step.tsx'
import { STEPS, type Step, Steps } from './steps.tsx'

const START = { step: 'provider', provider: '', tried: '', model: '' }

export default function Setup() {
  const setup = useAsk(['setup'], () => api.setup.get())
  return (
    <Page
      title="First steps"
      lead="A provider, a model with its price, an account with a key: then the first paid call."
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
  const [made, setMade] = useState<MadeKey | null>(null)
  const [, go] = useLocation()
  const step = STEPS.find(({ value }) => value === state.step)?.value ?? 'provider'
  const { provider, tried, model } = state

  function next(from: Step, chosen: Partial<typeof START> = {}): void {
    const at = STEPS.findIndex(({ value }) => value === from)
    change({ ...chosen, step: STEPS[at + 1]?.value ?? 'call' }, { push: true })
    refresh()
  }
  function leave(): void {
    putOff()
    go('/')
  }
  const done = { provider: provider !== '', model: model !== '', account: made !== null, call: false }
  return (
    <div className="setup">
      <Steps current={step} done={done} onGo={(value) => change({ step: value }, { push: true })} />
      <div className="stack">
        <h2>{STEPS.find(({ value }) => value === step)?.question}</h2>
        {step === 'provider' && (
          <AddProvider
            setup={setup}
            onDone={(name, answered) => next('provider', { provider: name, tried: answered, model: '' })}
          />
        )}
        {step === 'model' && (
          <ModelStep
            setup={setup}
            provider={provider}
            tried={tried}
            onDone={(id) => next('model', { model: id })}
          />
        )}
        {step === 'account' && (
          <AccountStep
            setup={setup}
            onDone={(key) => {
              setMade(key)
              next('account')
            }}
          />
        )}
        {step === 'call' && <CallStep setup={setup} model={model} made={made} onDone={leave} />}
        {step !== 'call' && (
          <div className="setup-ways">
            <Button look="quiet" small onClick={() => next(step)}>
              Skip this step
            </Button>
            {setup.due && (
              <Button look="quiet" small onClick={leave}>
                Do this later
              </Button>
            )}
          </div>
        )}
      </div>
    </div>
  )
}
