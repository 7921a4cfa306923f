// The settings of the text playground: one model or two, the system prompt, and the parameters that they take.
import { Columns2, X } from 'lucide-react'
import { useState } from 'react'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { names } from '../../console/web/parts/class-names.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { TextArea, TextInput } from '../../console/web/parts/input.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import type { Draft } from './draft.ts'
import type { Parameter, TextModel } from './models.ts'

export interface TextSettingsProps {
  draft: Draft
  set: (some: Partial<Draft>) => void
  models: readonly TextModel[]
  is_streaming: boolean
}

const WORDS: Record<Parameter, { label: string; help?: string }> = {
  temperature: { label: 'Temperature', help: '0 is the most predictable.' },
  max_completion_tokens: { label: 'Max output tokens' },
  top_p: { label: 'Top p' },
  reasoning_effort: { label: 'Reasoning' },
  stop: { label: 'Stop at', help: 'One per line.' },
  seed: { label: 'Seed' },
  frequency_penalty: { label: 'Frequency penalty' },
  presence_penalty: { label: 'Presence penalty' },
}
const ORDER = Object.keys(WORDS) as Parameter[]
const DEFAULT = 'default'
const EFFORTS = [DEFAULT, 'minimal', 'low', 'medium', 'high'] as const

export function TextSettings({ draft, set, models, is_streaming }: TextSettingsProps) {
  const chosen = draft.models.flatMap((id) => models.find((model) => model.id === id) ?? [])
  const taken = ORDER.filter((name) => chosen.some(({ parameters }) => parameters.includes(name)))
  const setParameter = (name: Parameter, value: string) =>
    set({ parameters: { ...draft.parameters, [name]: value } })
  const first = models.find(({ id }) => !draft.models.includes(id)) ?? models[0]
  const [begins_open] = useState(draft.system !== '')
  return (
    <aside className="play-settings" aria-label="Settings">
      {draft.models.map((id, side) => (
        <ModelField
          // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place
          key={side}
          label={draft.models.length === 1 ? 'Model' : `Model ${side + 1}`}
          value={id}
          models={models}
          disabled={is_streaming}
          onChange={(other) =>
            set({ models: draft.models.map((known, at) => (at === side ? other : known)) })
          }
          onRemove={
            side === 0 ? undefined : () => set({ models: draft.models.slice(0, 1), turns: oneSided(draft) })
          }
        />
      ))}
      {draft.models.length === 1 && first && (
        <div>
          <Button
            small
            icon={Columns2}
            disabled={is_streaming}
            onClick={() => set({ models: [...draft.models, first.id], turns: twoSided(draft) })}
          >
            Compare with another model
          </Button>
        </div>
      )}
      <details className="play-more" open={begins_open}>
        <summary>System prompt</summary>
        <Field label="Instructions for the model">
          <TextArea rows={3} value={draft.system} onChange={(system) => set({ system })} />
        </Field>
      </details>
      <details className="play-more">
        <summary>Parameters</summary>
        <div className="stack">
          {taken.map((name) => (
            <ParameterField
              key={name}
              name={name}
              value={draft.parameters[name] ?? ''}
              onChange={(value) => setParameter(name, value)}
              missing={chosen.filter(({ parameters }) => !parameters.includes(name)).map(({ id }) => id)}
            />
          ))}
        </div>
      </details>
    </aside>
  )
}

/** Without the second model and its answers. */
const oneSided = ({ turns }: Draft): Draft['turns'] =>
  turns.map((turn) => ({ ...turn, answers: turn.answers.slice(0, 1) }))
const twoSided = ({ turns }: Draft): Draft['turns'] =>
  turns.map((turn) => ({ ...turn, answers: [turn.answers[0] ?? null, null] }))

interface ModelFieldProps {
  label: string
  value: string
  models: readonly TextModel[]
  disabled: boolean
  onChange: (id: string) => void
  onRemove: (() => void) | undefined
}

function ModelField({ label, value, models, disabled, onChange, onRemove }: ModelFieldProps) {
  const model = models.find(({ id }) => id === value)
  return (
    <div className={names('play-model', onRemove && 'play-model-removable')}>
      <Field
        label={label}
        help={
          model && (
            <>
              {exactUsd(model.input_nanos)} USD in, {exactUsd(model.output_nanos)} USD out per million tokens
              {model.has_tiers && '; more for long prompts'}
            </>
          )
        }
      >
        <Select
          options={models.map(({ id, display_name }) => ({
            value: id,
            label: id,
            detail: display_name === id ? undefined : display_name,
          }))}
          value={value}
          disabled={disabled}
          onChange={onChange}
        />
      </Field>
      {onRemove && (
        <Button
          look="quiet"
          small
          icon={X}
          aria-label={`Remove ${value}`}
          disabled={disabled}
          onClick={onRemove}
        />
      )}
    </div>
  )
}

interface ParameterFieldProps {
  name: Parameter
  value: string
  onChange: (value: string) => void
  /** The models that do not take it. */
  missing: readonly string[]
}

function ParameterField({ name, value, onChange, missing }: ParameterFieldProps) {
  const { label, help } = WORDS[name]
  const not = missing.length > 0 ? `${missing.join(', ')} does not take it.` : undefined
  return (
    <Field label={label} help={[help, not].filter(Boolean).join(' ') || undefined}>
      {name === 'reasoning_effort' ? (
        <Select
          options={EFFORTS.map((effort) => ({ value: effort, label: effort }))}
          value={EFFORTS.find((effort) => effort === value) ?? DEFAULT}
          onChange={(effort) => onChange(effort === DEFAULT ? '' : effort)}
        />
      ) : name === 'stop' ? (
        <TextArea rows={2} code value={value} onChange={onChange} />
      ) : (
        <TextInput
          inputMode="decimal"
          autoComplete="off"
          value={value}
          onChange={onChange}
          placeholder="default"
        />
      )}
    </Field>
  )
}
