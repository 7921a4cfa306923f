// Shared parts of the forms of an order.
import type { Order } from './words.ts'

export const CHANGES = ['orders', 'payments', 'accounts', 'account', 'entries', 'overview', 'plan', 'plans']

export interface OrderFormProps {
  order: Order
  onClose: () => void
}
