// Shared parts of the forms of an order.
import type { Order } from './words.ts'

/** Queries to refetch after a change of the balance. */
export const CHANGES = ['orders', 'payments', 'accounts', 'account', 'entries', 'overview', 'plan', 'plans']

export interface OrderFormProps {
  order: Order
  onClose: () => void
}
