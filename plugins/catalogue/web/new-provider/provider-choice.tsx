// The providers to choose from, as a group of radio buttons.
import type { Choice } from './choices.ts'

interface ProviderChoiceProps {
  choices: readonly Choice[]
  /** The title of the chosen one. */
  value: string
  onChange: (title: string) => void
}

export function ProviderChoice({ choices, value, onChange }: ProviderChoiceProps) {
  return (
    <fieldset className="provider-choices">
      <legend className="unseen">Provider</legend>
      {choices.map(({ title, detail }) => (
        <label key={title} className="provider-choice">
          <input type="radio" name="provider" checked={title === value} onChange={() => onChange(title)} />
          <span>
            <b>{title}</b>
            {detail && <span className="small soft">{detail}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  )
}
