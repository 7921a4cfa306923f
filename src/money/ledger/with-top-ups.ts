// The parts of a top-up's transaction besides itself: credits to other accounts, and a purchase that it pays for. Pure.
import type { Operation, Purchase, Share } from './operations.ts'

export const sharesOf = (operation: Operation): readonly Share[] =>
  operation.op === 'top_up' ? (operation.shares ?? []) : []

export const purchaseOf = (operation: Operation): Purchase | undefined =>
  operation.op === 'top_up' ? operation.purchase : undefined
