// Shared by the forms of signing in: the state before, and whether the browser kept the session.
import { useQuery } from '@tanstack/react-query'
import { api, send } from '../../console/web/app/client.ts'

/** The answer that the gate has already: whether anybody can sign in here, and who did before. */
export function useSite() {
  return useQuery({
    queryKey: ['session'],
    queryFn: () => send(api.session.get()),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/**
 * Some browsers drop the cookie of a connection that they take for unsafe, and say nothing.
 *
 * @throws Error that says what to do
 */
export async function requireKeptCookie(): Promise<void> {
  const { viewer } = await send(api.session.get())
  if (!viewer)
    throw new Error(
      'Your browser did not keep the session cookie. Allow cookies for this address, or use HTTPS.',
    )
}
