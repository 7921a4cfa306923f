// The settings of the image playground: the model, size, quality and number.
import { exactUsd } from '../../console/web/parts/amounts.ts'
import { Choices } from '../../console/web/parts/choices.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextInput } from '../../console/web/parts/input.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import type { ImageModel } from './models.ts'

export interface ImageForm {
  /** Empty: the first one. */
  model: string
  /** Empty: the model's own. */
  size: string
  quality: string
  n: number
}

export const EMPTY_FORM: ImageForm = { model: '', size: '', quality: '', n: 1 }

const OWN = 'own'
const MAX_CHOICES = 4

export interface ImageSettingsProps {
  form: ImageForm
  set: (form: ImageForm) => void
  models: readonly ImageModel[]
  model: ImageModel
}

export function ImageSettings({ form, set, models, model }: ImageSettingsProps) {
  const numbers = Array.from({ length: Math.min(model.max_n, MAX_CHOICES) }, (_, at) => String(at + 1))
  return (
    <aside className="play-settings" aria-label="Settings">
      <Field label="Model" help={priceOf(model)}>
        <Select
          options={models.map(({ id, display_name }) => ({
            value: id,
            label: id,
            detail: display_name === id ? undefined : display_name,
          }))}
          value={model.id}
          // Another model has other sizes.
          onChange={(id) => set({ ...EMPTY_FORM, model: id, n: form.n })}
        />
      </Field>
      {model.sizes ? (
        <Field label="Size">
          <Select
            options={[OWN, ...model.sizes.filter((size) => size !== 'auto')].map(asOption)}
            value={form.size || OWN}
            onChange={(size) => set({ ...form, size: size === OWN ? '' : size })}
          />
        </Field>
      ) : (
        <Field label="Size" help="Such as 1024x1024, up to 2048x2048. Leave empty for the model’s default.">
          <TextInput value={form.size} onChange={(size) => set({ ...form, size })} placeholder="auto" />
        </Field>
      )}
      {model.qualities.length > 0 && (
        <Field label="Quality">
          <Select
            options={[OWN, ...model.qualities].map(asOption)}
            value={form.quality || OWN}
            onChange={(quality) => set({ ...form, quality: quality === OWN ? '' : quality })}
          />
        </Field>
      )}
      {numbers.length > 1 && (
        <div className="field">
          <span className="label">Images</span>
          <div>
            <Choices
              label="Images"
              options={numbers.map((value) => ({ value, label: value }))}
              value={String(Math.min(form.n, model.max_n))}
              onChange={(value) => set({ ...form, n: Number(value) })}
            />
          </div>
        </div>
      )}
    </aside>
  )
}

const asOption = (value: string) => ({ value, label: value === OWN ? 'Model default' : value })

const priceOf = ({ from_nanos, to_nanos }: ImageModel): string =>
  from_nanos === to_nanos
    ? `${exactUsd(from_nanos)} USD an image`
    : `${exactUsd(from_nanos)} to ${exactUsd(to_nanos)} USD an image`
