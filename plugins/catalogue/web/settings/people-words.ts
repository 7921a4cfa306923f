// The words of the sections about people: identity providers, sign-up, staff.
import { SIGN_UP } from './sign-up-words.ts'

export const PEOPLE = {
  sign_in: { title: 'Identity providers', lead: 'Sign-in with Google, Microsoft and others.', labels: {} },
  sign_up: SIGN_UP,
  staff: {
    title: 'Staff',
    lead: 'What people with the role support may do with money. System, Staff has the people.',
    labels: {
      support_credit_usd: {
        label: 'Support credit a day',
        help: 'What each support person may add and refund in a day (UTC), together. 0 for nothing.',
      },
    },
  },
} as const
