// Session of the browser, and its viewer: the person or key that is signed in.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext } from 'react'
import type { Right } from '../../../../src/access/rights.ts'
import { clearTab } from './browser-storage.ts'
import { type AnswerOf, api, send } from './client.ts'
import { addressOf, gatewayUrl } from './gateway-address.ts'

type Session = AnswerOf<typeof api.session.get>

/** The signed-in person or key, and their rights. Pages use the rights to hide actions; the server enforces them. */
export type Viewer = NonNullable<Session['viewer']>

/** While the account is suspended, so that the page notices soon that it was resumed. */
const SUSPENDED_REFETCH_MS = 10_000

export const useSession = () =>
  useQuery({
    queryKey: ['session'],
    queryFn: () => send(api.session.get()),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }) => (state.data?.viewer?.suspension ? SUSPENDED_REFETCH_MS : false),
  })

/** The viewer; set by `SessionGate`. */
export const SignedIn = createContext<Viewer | null>(null)

export function useViewer(): Viewer {
  const viewer = useContext(SignedIn)
  if (!viewer) throw new Error('useViewer: nobody is signed in here')
  return viewer
}

/** Whether the viewer has a right, so that the page can offer an action. True if nobody is signed in. */
export function useMay(right: Right | undefined): boolean {
  const viewer = useContext(SignedIn)
  return right === undefined || viewer === null || viewer.rights.includes(right)
}

export const useFeature = (name: string): boolean => useViewer().features.includes(name)

/** Returns the kind of a viewer, by which pages are shown. */
export const viewerKindOf = ({ side, see_account }: Viewer) => (see_account ? side : 'own_keys')

/** Returns a person's sign-in name: the email address, or else the account of which they are the first owner; null for the first operator. */
export const signInName = ({
  email,
  account,
}: {
  email: string | null | undefined
  account: string | null
}): string | null => email ?? account

export const viewersSignInName = ({ person, account }: Pick<Viewer, 'person' | 'account'>): string =>
  signInName({ email: person?.email, account }) ?? 'operator'

/** Returns the URL at which callers reach the gateway, for code to copy. The operator's browser may use another one, such as a tunnel. */
export function useBaseUrl(): string {
  const { public_url } = useViewer()
  return public_url?.replace(/\/+$/, '') ?? gatewayUrl()
}

/** @returns the function that signs out: it ends this session, or all of the viewer's, and clears the cache and this tab's storage */
export function useSignOut(): (everywhere?: boolean) => Promise<void> {
  const queries = useQueryClient()
  return async (everywhere = false) => {
    await (everywhere ? send(api.sessions.delete()) : send(api.session.delete()))
    queries.clear()
    clearTab()
    location.assign(addressOf('/console'))
  }
}
