// Whose page it is: the operator's choice from the address, or the viewer's own account.
import { useViewer } from '../app/session.tsx'
import { useAddressState } from './address-state.ts'

export interface Whose {
  is_operator: boolean
  /** The account that the operator has chosen; undefined for everybody else, and before they choose. */
  account: string | undefined
  choose: (account: string | undefined) => void
  /** What a route takes. */
  query: { account?: string }
}

export function useWhose(): Whose {
  const { role } = useViewer()
  const [state, change] = useAddressState({ account: '', cursor: '' })
  const is_operator = role === 'operator'
  const account = is_operator && state.account !== '' ? state.account : undefined
  return {
    is_operator,
    account,
    choose: (chosen) => change({ account: chosen, cursor: undefined }, { push: true }),
    query: { account },
  }
}
