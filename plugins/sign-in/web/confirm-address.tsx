// The page of a link that was mailed to a new address. Its button makes the address the viewer's.
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import { useAction } from '../../console/web/parts/action.ts'
import { Form, FormActions, SubmitButton } from '../../console/web/parts/form.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { INCOMPLETE, useLinkToken } from './link-token.ts'

export default function ConfirmAddress() {
  const token = useLinkToken()
  const [, go] = useLocation()
  const [is_done, setDone] = useState(false)
  const confirm = useAction({
    work: () => send(api.me.email.confirm.post({ token })),
    changes: ['me'],
    done: (_, { email }) => ({ text: `Address confirmed: ${email}` }),
  })

  async function submit(): Promise<void> {
    await confirm.runOrThrow(undefined)
    setDone(true)
    go('/settings', { replace: true })
  }

  return (
    <Page title="Confirm your email address">
      {token === '' && !is_done ? (
        <Notice tone="warn">{INCOMPLETE}</Notice>
      ) : (
        <Form submit={submit} aria-label="Confirm your email address">
          <p>You sign in with this address from now on, and get links and notices there.</p>
          <FormActions>
            <SubmitButton>Confirm address</SubmitButton>
          </FormActions>
        </Form>
      )}
    </Page>
  )
}
