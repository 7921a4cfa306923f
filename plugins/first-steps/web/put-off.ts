// The mark in this browser that the first visit of the operator, or of an account, was put off or is over.
import { keepIn, keptIn } from '../../console/web/app/kept.ts'

interface Visitor {
  account_id: number | null
}

const keyOf = ({ account_id }: Visitor): string =>
  account_id === null ? 'tollgate-first-steps' : `tollgate-first-steps-${account_id}`

/** The console no longer opens it by itself; its page stays. */
export const putOff = (viewer: Visitor): void => keepIn(keyOf(viewer), 'put off')
export const isPutOff = (viewer: Visitor): boolean => keptIn(keyOf(viewer)) !== null
