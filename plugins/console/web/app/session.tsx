// The viewer: who is signed in, as pages see them.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Right } from '../../../../src/access/rights.ts'
import { type AnswerOf, api, send } from './client.ts'
import { forgetTab } from './kept.ts'
import { addressOf, gatewayUrl } from './place.ts'

type Session = AnswerOf<typeof api.session.get>

/** The person who is signed in, and what they may do. It is for showing less: the server decides. */
export type Viewer = NonNullable<Session['viewer']>

/** Soon after a payment, or once the account is resumed, its people see so. */
const SUSPENDED_EVERY_MS = 10_000

/** The session of this browser, and whether anybody can sign in here. */
export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: () => send(api.session.get()),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.viewer?.suspension ? SUSPENDED_EVERY_MS : false),
  })

/** Set by the session's gate. */
export const SignedIn = createContext<Viewer | null>(null)

/** The viewer of a page. */
export function useViewer(): Viewer {
  const viewer = useContext(SignedIn)
  if (!viewer) throw new Error('useViewer: nobody is signed in here')
  return viewer
}

/** Whether the viewer of a page has a right; what they may not do is not offered. True where nobody is signed in. */
export function useMay(right: Right | undefined): boolean {
  const viewer = useContext(SignedIn)
  return right === undefined || viewer === null || viewer.rights.includes(right)
}

/** Reports whether the operator has set up a feature, for the parts of pages that belong to it. */
export const useFeature = (name: string): boolean => useViewer().features.includes(name)

/** Which pages a viewer sees. */
export const sightOf = ({ side, see_account }: Viewer) => (see_account ? side : 'own_keys')

/** The name that a person signs in by: their address; without one that of the account whose first owner they are; null: the first operator. */
export const signInName = ({
  email,
  account,
}: {
  email: string | null | undefined
  account: string | null
}): string | null => email ?? account

/** The same of a viewer, for password managers. */
export const viewersSignInName = ({ person, account }: Pick<Viewer, 'person' | 'account'>): string =>
  signInName({ email: person?.email, account }) ?? 'operator'

/** How callers reach the gateway, for what is copied from here. The operator may have come another way, such as a tunnel. */
export function useBaseUrl(): string {
  const { public_url } = useViewer()
  return public_url?.replace(/\/+$/, '') ?? gatewayUrl()
}

/** @returns signs out: the server ends the session, or all of the viewer's, and no answer stays in memory */
export function useSignOut(): (everywhere?: boolean) => Promise<void> {
  const queries = useQueryClient()
  return async (everywhere = false) => {
    await (everywhere ? send(api.sessions.delete()) : send(api.session.delete()))
    queries.clear()
    forgetTab()
    location.assign(addressOf('/console'))
  }
}
