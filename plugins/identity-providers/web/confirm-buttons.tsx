// The buttons that confirm the viewer's identity at a provider, in another tab.
import { useEffect, useState } from 'react'
import { api, messageOf } from '../../console/web/app/client.ts'
import type { SignInProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { CONFIRMED, confirmInTab } from './go-to-provider.ts'

export default function ConfirmButtons({ onSignedIn }: Pick<SignInProps, 'onSignedIn'>) {
  const { data } = useApi(['identities'], () => api.identities.get())
  const [failure, setFailure] = useState<string | null>(null)
  useEffect(() => {
    const channel = new BroadcastChannel(CONFIRMED)
    channel.onmessage = onSignedIn
    return () => channel.close()
  }, [onSignedIn])

  if (!data) return null
  const { identities, providers } = data
  const own = providers.filter(({ name }) => identities.some(({ provider }) => provider === name))
  return (
    <div className="identity-buttons">
      {own.map(({ name, title }) => (
        <Button
          key={name}
          onClick={() => {
            setFailure(null)
            confirmInTab(name).catch((thrown: unknown) => setFailure(messageOf(thrown)))
          }}
        >
          {`Confirm with ${title}`}
        </Button>
      ))}
      {failure !== null && (
        <Notice tone="bad" alert>
          {failure}
        </Notice>
      )}
    </div>
  )
}
