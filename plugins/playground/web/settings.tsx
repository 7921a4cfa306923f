// Settings of a request: one model or two, the system prompt, and the parameters that the models accept.
import { Columns2, X } from 'lucide-react'
import { useState } from 'react'
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { classNames } from '../../console/web/parts/class-names.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { TextArea, TextInput } from '../../console/web/parts/input.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import type { Draft, ImageModel, Parameter, PlayRequest, TextModel } from './request.ts'

interface SettingsProps<Model> {
  draft: Draft
  set: (some: Partial<Draft>) => void
  models: readonly Model[]
}

interface ParameterWords {
  label: string
  help?: string
  options?: readonly string[]
}

const TEXT: Record<TextModel['parameters'][number], ParameterWords> = {
  temperature: { label: 'Temperature', help: '0 is the most predictable.' },
  max_completion_tokens: { label: 'Max output tokens' },
  top_p: { label: 'Top p' },
  reasoning_effort: { label: 'Reasoning', options: ['minimal', 'low', 'medium', 'high'] },
  stop: { label: 'Stop at', help: 'One per line.' },
  seed: { label: 'Seed' },
  frequency_penalty: { label: 'Frequency penalty' },
  presence_penalty: { label: 'Presence penalty' },
}
const ORDER = Object.keys(TEXT) as TextModel['parameters'][number][]

export function TextSettings(props: SettingsProps<TextModel> & { is_running: boolean }) {
  const { draft, set, models, is_running } = props
  const chosen = draft.models.flatMap((id) => models.find((model) => model.id === id) ?? [])
  const taken = ORDER.filter((name) => chosen.some(({ parameters }) => parameters.includes(name)))
  const other = models.find(({ id }) => !draft.models.includes(id)) ?? models[0]
  const [begins_open] = useState(draft.system !== '')
  const helpOf = (name: (typeof ORDER)[number]): string => {
    const without = chosen.flatMap(({ id, parameters }) => (parameters.includes(name) ? [] : id))
    return [TEXT[name].help, without.length > 0 && `${without.join(', ')} does not support it.`]
      .filter(Boolean)
      .join(' ')
  }
  return (
    <aside className="play-settings" aria-label="Settings">
      {draft.models.map((id, side) => (
        <ModelField
          // biome-ignore lint/suspicious/noArrayIndexKey: a side is its place
          key={side}
          label={draft.models.length === 1 ? 'Model' : `Model ${side + 1}`}
          value={id}
          models={models}
          priceOf={textPrice}
          disabled={is_running}
          onChange={(other) => set({ models: draft.models.with(side, other) })}
          onRemove={
            side === 0 ? undefined : () => set({ models: draft.models.slice(0, 1), turns: oneSided(draft) })
          }
        />
      ))}
      {draft.models.length === 1 && other && (
        <div>
          <Button
            small
            icon={Columns2}
            disabled={is_running}
            onClick={() => set({ models: [...draft.models, other.id], turns: twoSided(draft) })}
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
            <ParameterField key={name} {...{ name, draft, set }} {...TEXT[name]} help={helpOf(name)} />
          ))}
        </div>
      </details>
    </aside>
  )
}

const textPrice = ({ input_nanos, output_nanos, has_tiers }: TextModel): string =>
  `${exactUsd(input_nanos)} USD in, ${exactUsd(output_nanos)} USD out per million tokens${has_tiers ? '; more for long prompts' : ''}`

const oneSided = ({ turns }: Draft): Draft['turns'] =>
  turns.map((turn) => ({ ...turn, answers: turn.answers.slice(0, 1) }))
const twoSided = ({ turns }: Draft): Draft['turns'] =>
  turns.map((turn) => ({ ...turn, answers: [turn.answers[0] ?? null, null] }))

const MAX_CHOICES = 4

export const imagesOf = ({ parameters }: PlayRequest, { max_n }: ImageModel): number =>
  Math.min(Number(parameters.n ?? 1), max_n)

export function ImageSettings(props: SettingsProps<ImageModel> & { model: ImageModel }) {
  const { draft, set, models, model } = props
  const numbers = Array.from({ length: Math.min(model.max_n, MAX_CHOICES) }, (_, at) => String(at + 1))
  const { n } = draft.parameters
  return (
    <aside className="play-settings" aria-label="Settings">
      <ModelField
        label="Model"
        value={model.id}
        models={models}
        priceOf={imagePrice}
        // Sizes differ between models.
        onChange={(id) => set({ models: [id], parameters: n === undefined ? {} : { n } })}
      />
      <ParameterField
        {...{ draft, set }}
        name="size"
        label="Size"
        help={model.sizes ? '' : 'Such as 1024x1024, up to 2048x2048. Leave empty for the model’s default.'}
        options={model.sizes?.filter((size) => size !== 'auto')}
      />
      {model.qualities.length > 0 && (
        <ParameterField {...{ draft, set }} name="quality" label="Quality" options={model.qualities} />
      )}
      {numbers.length > 1 && (
        <div className="field">
          <span className="label">Images</span>
          <div>
            <Choices
              label="Images"
              options={numbers.map((value) => ({ value, label: value }))}
              value={String(imagesOf(draft, model))}
              onChange={(value) => set({ parameters: { ...draft.parameters, n: value } })}
            />
          </div>
        </div>
      )}
    </aside>
  )
}

const imagePrice = ({ from_nanos, to_nanos }: ImageModel): string =>
  `${exactUsd(from_nanos)} ${from_nanos === to_nanos ? '' : `to ${exactUsd(to_nanos)} `}USD an image`

interface ModelFieldProps<Model> {
  label: string
  value: string
  models: readonly Model[]
  priceOf: (model: Model) => string
  disabled?: boolean
  onChange: (id: string) => void
  onRemove?: (() => void) | undefined
}

function ModelField<Model extends { id: string; display_name: string }>(props: ModelFieldProps<Model>) {
  const { label, value, models, priceOf, disabled, onChange, onRemove } = props
  const model = models.find(({ id }) => id === value)
  return (
    <div className={classNames('play-model', onRemove && 'play-model-removable')}>
      <Field label={label} help={model && priceOf(model)}>
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

interface ParameterFieldProps extends ParameterWords, Pick<SettingsProps<unknown>, 'draft' | 'set'> {
  name: Parameter
}

const DEFAULT = 'default'

function ParameterField({ name, label, help, options, draft, set }: ParameterFieldProps) {
  const value = draft.parameters[name] ?? ''
  const change = (text: string) => set({ parameters: { ...draft.parameters, [name]: text } })
  return (
    <Field label={label} help={help || undefined}>
      {options ? (
        <Select
          options={[DEFAULT, ...options].map((one) => ({
            value: one,
            label: one === DEFAULT ? 'Model default' : one,
          }))}
          value={options.includes(value) ? value : DEFAULT}
          onChange={(one) => change(one === DEFAULT ? '' : one)}
        />
      ) : name === 'stop' ? (
        <TextArea rows={2} code value={value} onChange={change} />
      ) : (
        <TextInput
          inputMode={name === 'size' ? undefined : 'decimal'}
          autoComplete="off"
          value={value}
          onChange={change}
          placeholder={name === 'size' ? 'auto' : 'default'}
        />
      )}
    </Field>
  )
}
