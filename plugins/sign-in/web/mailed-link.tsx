// The part of the sign-in form that sends a link by mail: to sign in without a password, or to set a new one.

import { useState } from 'react'
import { api, send } from '../../console/web/app/client.ts'
import { Button } from '../../console/web/parts/button.tsx'
import { Choices } from '../../console/web/parts/choices.tsx'
import { DialogButton } from '../../console/web/parts/dialog-buttons.tsx'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, SubmitOrCancel } from '../../console/web/parts/form.tsx'

const PURPOSES = [
  { value: 'sign_in', label: 'Sign in' },
  { value: 'reset', label: 'Set a new password' },
] as const

export default function MailedLink() {
  return (
    <DialogButton title="Email me a link" content={(close) => <LinkForm close={close} />}>
      Email me a link
    </DialogButton>
  )
}

function LinkForm({ close }: { close: () => void }) {
  const [purpose, setPurpose] = useState<(typeof PURPOSES)[number]['value']>('sign_in')
  const [email, setEmail] = useState('')
  const [minutes, setMinutes] = useState<number>()

  async function submit(): Promise<void> {
    const answer = await send(api['mailed-links'].post({ email, purpose }))
    setMinutes(answer.minutes)
  }

  if (minutes !== undefined)
    return (
      <div className="stack">
        <p>
          If {email} can sign in here, we have sent a link to it. It works once, for {minutes} minutes. Open
          it in this browser.
        </p>
        <p className="soft">No mail after a few minutes? Look in your spam folder, and check the address.</p>
        <div className="dialog-actions">
          <Button look="primary" onClick={close}>
            Close
          </Button>
        </div>
      </div>
    )
  return (
    <Form submit={submit} aria-label="Email me a link">
      <Choices label="The link lets you" options={PURPOSES} value={purpose} onChange={setPurpose} />
      <Field label="Email address" name="email" help="The address that you have confirmed here.">
        <EmailInput own autoFocus value={email} onChange={setEmail} />
      </Field>
      <SubmitOrCancel onCancel={close}>Send link</SubmitOrCancel>
    </Form>
  )
}
