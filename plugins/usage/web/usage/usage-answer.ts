// The query of the page Usage, and its answer.
import type { AnswerOf, api } from '../../../console/web/app/client.ts'
import type { ListFilters } from '../../../console/web/parts/filter-fields.tsx'

export type UsageView = AnswerOf<typeof api.usage.get>

export const DEFAULTS = { account: '', model: '', key: '', days: '30', since: '', until: '', by: 'model' }
export type UsageFilters = ListFilters<keyof typeof DEFAULTS>

export const GROUPS = [
  { value: 'model', label: 'By model' },
  { value: 'account', label: 'By account' },
  { value: 'key', label: 'By key' },
  { value: 'day', label: 'By day' },
] as const
export type Group = (typeof GROUPS)[number]['value']
