// The steps of the operator's first visit as buttons: the open one, and those that are done.
import { Check } from 'lucide-react'

export const STEPS = [
  { value: 'provider', title: 'Provider', question: 'Provider' },
  { value: 'model', title: 'Model', question: 'Model and price' },
  { value: 'account', title: 'Account and key', question: 'Account and key' },
  { value: 'call', title: 'First call', question: 'Make the first call' },
] as const
export type Step = (typeof STEPS)[number]['value']

interface StepsProps {
  current: Step
  done: Readonly<Record<Step, boolean>>
  onGo: (step: Step) => void
}

export function Steps({ current, done, onGo }: StepsProps) {
  return (
    <nav aria-label="Steps">
      <ol className="setup-steps">
        {STEPS.map(({ value, title }, at) => (
          <li key={value}>
            <button
              type="button"
              className="setup-step"
              aria-current={value === current ? 'step' : undefined}
              onClick={() => onGo(value)}
            >
              <span className="setup-number" aria-hidden>
                {done[value] ? <Check className="icon" /> : at + 1}
              </span>
              <span className="setup-title">{title}</span>
              {done[value] && <span className="unseen">, done</span>}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  )
}
