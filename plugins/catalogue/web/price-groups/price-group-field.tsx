// The choice of an account's price group. Hidden if the catalogue has no groups and the account is in none.
import { type AnswerOf, api } from '../../../console/web/app/client.ts'
import { useApi } from '../../../console/web/app/query.ts'
import { Field } from '../../../console/web/parts/field.tsx'
import { Select } from '../../../console/web/parts/select.tsx'

export type Group = AnswerOf<(typeof api)['price-groups']['get']>['groups'][number]

/** The empty name stands for list prices: groups have names. */
const LIST_PRICES = { value: '', label: 'List prices' }

export const useGroups = () => useApi(['price-groups'], () => api['price-groups'].get())

interface PriceGroupFieldProps {
  value: string | null
  onChange: (group: string | null) => void
}

export function PriceGroupField({ value, onChange }: PriceGroupFieldProps) {
  const { data } = useGroups()
  const known = (data?.groups ?? []).filter(({ in_catalogue, name }) => in_catalogue || name === value)
  if (known.length === 0 && value === null) return null
  const options = known.map(({ name, factor, in_catalogue }) => ({
    value: name,
    label: name,
    detail: in_catalogue ? `List prices × ${factor}` : 'Not in the catalogue: list prices',
  }))
  return (
    <Field label="Price group" name="price_group" help="Running calls keep the price that they were quoted.">
      <Select
        options={[LIST_PRICES, ...options]}
        value={value ?? ''}
        onChange={(chosen) => onChange(chosen === '' ? null : chosen)}
      />
    </Field>
  )
}
