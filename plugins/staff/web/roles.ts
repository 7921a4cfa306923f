// Labels of the staff's roles, and the type of a person on the page.
import type { AnswerOf, api } from '../../console/web/app/client.ts'

export type StaffPerson = AnswerOf<typeof api.staff.get>['staff'][number]
export type StaffRole = StaffPerson['role']

export const ROLE_WORDS = [
  { value: 'operator', label: 'Operator', may: 'Everything.' },
  {
    value: 'support',
    label: 'Support',
    may: 'Sees everything; invites, suspends and resumes accounts; adds funds and refunds calls up to the limit in Settings, Staff.',
  },
  {
    value: 'auditor',
    label: 'Auditor',
    may: 'Sees everything except the content of calls; changes nothing.',
  },
] as const satisfies readonly { value: StaffRole; label: string; may: string }[]

export const ROLE_OPTIONS = ROLE_WORDS.map(({ value, label }) => ({ value, label }))

export const mayWords = (role: StaffRole): string => ROLE_WORDS.find(({ value }) => value === role)?.may ?? ''
