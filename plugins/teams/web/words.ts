// Labels of the roles in an account, and the props of components about a team.
export const ROLE_NAMES = { owner: 'Owner', member: 'Member', billing: 'Billing' } as const

export const ROLES = [
  { value: 'member', label: 'Member', detail: 'Has API keys of their own, and sees these and their calls.' },
  {
    value: 'billing',
    label: 'Billing',
    detail: 'Sees all calls, transactions and statements. Makes no keys.',
  },
  {
    value: 'owner',
    label: 'Owner',
    detail: 'Sees and manages everything in the account, its people included.',
  },
] as const

export type Role = (typeof ROLES)[number]['value']

export interface TeamProps {
  /** The account on the operator's page; absent for the viewer's own account. */
  account?: { id: number; name: string; status: string }
}
