// The change of the viewer's password, which needs the current one.
import { useState } from 'react'
import { api, send } from '../../../console/web/app/client.ts'
import { useViewer, viewersSignInName } from '../../../console/web/app/session.tsx'
import { useAction } from '../../../console/web/parts/action.ts'
import { Field } from '../../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../../console/web/parts/form.tsx'
import { Section } from '../../../console/web/parts/page.tsx'
import { PasswordInput } from '../../../console/web/parts/password-input.tsx'
import { NewPasswordField } from '../new-password-field.tsx'
import type { Me } from './profile.tsx'

/** Equals the server's minimum. */
const MIN_CHARS = 12

export function PasswordSection({ has_password, can_mail, email_is_verified }: Me) {
  return (
    <Section title="Password">
      {!has_password ? (
        <p>No password is set. {can_mail && email_is_verified ? BY_MAIL : BY_OPERATOR}</p>
      ) : (
        <ChangePassword />
      )}
    </Section>
  )
}

const BY_MAIL =
  'To set one, sign out, choose “Email me a link” at the sign-in form, then “Set a new password”.'
const BY_OPERATOR = 'To set one, ask the operator for a link.'

function ChangePassword() {
  const viewer = useViewer()
  const [old_password, setOld] = useState('')
  const [new_password, setNew] = useState('')
  const change = useAction({
    work: (passwords: { old_password: string; new_password: string }) => send(api.password.put(passwords)),
    changes: ['sessions'],
    done: () => ({ text: 'Password changed. Your other sessions were signed out.' }),
  })

  async function submit(): Promise<void> {
    await change.runOrThrow({ old_password, new_password })
    setOld('')
    setNew('')
  }

  return (
    <div className="settings-password">
      <Form submit={submit} aria-label="Change password">
        <input type="text" autoComplete="username" value={viewersSignInName(viewer)} readOnly hidden />
        <Field label="Current password" name="old_password">
          <PasswordInput autoComplete="current-password" value={old_password} onChange={setOld} />
        </Field>
        <NewPasswordField
          label="New password"
          name="new_password"
          min_chars={MIN_CHARS}
          value={new_password}
          onChange={setNew}
        />
        <FormActions>
          <SubmitButton>Change password</SubmitButton>
        </FormActions>
      </Form>
    </div>
  )
}
