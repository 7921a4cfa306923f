// The test of the mail server, below its settings.

import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import { EmailInput } from '../../console/web/parts/email-input.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../console/web/parts/form.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Section } from '../../console/web/parts/page.tsx'
import { Words } from '../../console/web/parts/words.tsx'

export function TestMail() {
  const [to, setTo] = useState('')
  const { data, mutateAsync } = useMutation({
    mutationFn: () => send(api['mail-test'].post({ to: to.trim() })),
  })
  return (
    <Section title="Test">
      <div className="stack">
        <Form submit={async () => void (await mutateAsync())} aria-label="Test mail">
          <Field label="Send a test mail to" name="to" help="With the saved settings.">
            <EmailInput own value={to} onChange={setTo} />
          </Field>
          <FormActions>
            <SubmitButton look="plain" icon={Send}>
              Send test mail
            </SubmitButton>
          </FormActions>
        </Form>
        {data && (
          <Notice tone={data.failure === null ? 'good' : 'bad'} alert>
            <Words>{data.sentence}</Words>
          </Notice>
        )}
        <p className="small soft">
          <Link href="/system/mails">Mails</Link> lists what was sent, and what was not.
        </p>
      </div>
    </Section>
  )
}
