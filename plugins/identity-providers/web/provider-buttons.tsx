// The buttons of identity providers on the sign-in form; after a sign-out here, also a button to sign out at the provider.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, messageOf, send } from '../../console/web/app/client.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { goToProvider, leaveProvider } from './go-to-provider.ts'
import { providersAtFirst } from './providers.ts'

export default function ProviderButtons() {
  const { data } = useQuery({
    queryKey: ['identity-providers'],
    queryFn: () => send(api['identity-providers'].get()),
    initialData: providersAtFirst,
  })
  const [busy, setBusy] = useState<string | null>(null)
  const [failure, setFailure] = useState<string | null>(null)

  const go = (name: string, action: () => Promise<void>) => () => {
    setBusy(name)
    setFailure(null)
    action().catch((thrown: unknown) => {
      setBusy(null)
      setFailure(messageOf(thrown))
    })
  }

  if (!data) return null
  const { providers, terms, left } = data
  return (
    <div className="identity-buttons">
      {providers.map(({ name, title }) => (
        <Button key={name} busy={busy === name} onClick={go(name, () => goToProvider(name, terms))}>
          {`Continue with ${title}`}
        </Button>
      ))}
      {terms && (
        <p className="soft small">
          New here? By continuing you accept the{' '}
          <a href={terms.url} target="_blank" rel="noreferrer">
            terms of service
          </a>
          .
        </p>
      )}
      {failure !== null && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
      {left && (
        <p className="soft small">
          You may still be signed in at <bdi>{left.title}</bdi>.{' '}
          <Button small look="quiet" busy={busy === 'left'} onClick={go('left', leaveProvider)}>
            Sign out of {left.title}
          </Button>
        </p>
      )}
    </div>
  )
}
