// Whether the first visit was put off, or is over, in this browser: of the operator, or of an account.
import { keepIn, keptIn } from '../../console/web/app/kept.ts'

interface Visitor {
  account_id: number | null
}

const keyOf = ({ account_id }: Visitor): string =>
  account_id === null ? 'tollgate-first-steps' : `tollgate-first-steps-${account_id}`

/** Not shown by itself any more; its page stays. */
export const putOff = (viewer: Visitor): void => keepIn(keyOf(viewer), 'put off')
export const isPutOff = (viewer: Visitor): boolean => keptIn(keyOf(viewer)) !== null
