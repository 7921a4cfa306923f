// The parts that forms of an order share.
import type { Order } from './words.ts'

/** Queries that a movement of the balance changes. */
export const CHANGES = ['orders', 'payments', 'accounts', 'account', 'entries', 'overview', 'plan', 'plans']

export interface OrderFormProps {
  order: Order
  onClose: () => void
}
