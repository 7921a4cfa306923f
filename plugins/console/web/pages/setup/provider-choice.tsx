// The providers of a first visit, as a group of radio buttons.
import type { Choice } from './choices.ts'

interface ProviderChoiceProps {
  choices: readonly Choice[]
  /** The title of the chosen one. */
  value: string
  onChange: (title: string) => void
}

export function ProviderChoice({ choices, value, onChange }: ProviderChoiceProps) {
  return (
    <fieldset className="setup-choices">
      <legend className="unseen">Provider</legend>
      {choices.map(({ title, detail }) => (
        <label key={title} className="setup-choice">
          <input
            type="radio"
            name="setup-provider"
            checked={title === value}
            onChange={() => onChange(title)}
          />
          <span>
            <b>{title}</b>
            <span className="small soft">{detail}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
