// The page of an incident: its updates, and the form that adds one.

import { useState } from 'react'
import { type AnswerOf, api, pathPart, send } from '../../console/web/app/client.ts'
import type { PageProps } from '../../console/web/app/page-entry.ts'
import { useApi } from '../../console/web/app/query.ts'
import { useMay } from '../../console/web/app/session.tsx'
import { useAction } from '../../console/web/parts/action.ts'
import { AsCommand } from '../../console/web/parts/code.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { Field } from '../../console/web/parts/field.tsx'
import { Form, FormActions, SubmitButton } from '../../console/web/parts/form.tsx'
import { TextArea } from '../../console/web/parts/input.tsx'
import { Notice } from '../../console/web/parts/notice.tsx'
import { Page, Section } from '../../console/web/parts/page.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { Loaded } from '../../console/web/parts/states.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import { ALL_STATES, IncidentStatus } from './words.tsx'

type Incident = AnswerOf<ReturnType<typeof api.incidents>['get']>

export default function IncidentPage({ params: { id = '' } }: PageProps) {
  const incident = useApi(['incidents', 'one', id], () => api.incidents({ id: pathPart(id) }).get(), {
    is_of_one: true,
  })
  return (
    <Page title={incident.data?.title ?? 'Incident'} width="text">
      <Loaded query={incident}>{(data) => <Known {...data} />}</Loaded>
    </Page>
  )
}

const UNSEEN: Readonly<Record<NonNullable<Incident['unseen']>, string>> = {
  pages_off:
    'The status page does not show this: public pages are off. Turn them on in Settings, Public pages.',
  models_hidden:
    'The status page does not show this: all of its models are hidden in Settings, Public pages.',
}

function Known(incident: Incident) {
  const { state, models, updates, unseen } = incident
  const operates = useMay('operate')
  return (
    <div className="stack">
      {unseen && <Notice tone="warn">{UNSEEN[unseen]}</Notice>}
      <p className="soft">{models.length === 0 ? 'All models' : models.join(', ')}</p>
      <Section title="Updates">
        <ul className="stack">
          {updates.toReversed().map((update) => (
            <li key={update.written_at_ms + update.text}>
              <div className="row">
                <IncidentStatus state={update.state} />
                <span className="soft">
                  <Time at_ms={update.written_at_ms} />
                </span>
              </div>
              <p className="incident-text" dir="auto">
                {update.text}
              </p>
            </li>
          ))}
        </ul>
      </Section>
      {state !== 'resolved' && operates && <NewUpdate {...incident} />}
    </div>
  )
}

function NewUpdate({ id, state: before }: Incident) {
  const [text, setText] = useState('')
  const [state, setState] = useState(before)
  const { runOrThrow } = useAction({
    work: () => send(api.incidents({ id: String(id) }).updates.post({ text, state })),
    changes: ['incidents'],
    done: () => ({ text: state === 'resolved' ? 'Incident resolved' : 'Update published' }),
  })
  async function publish(): Promise<void> {
    await runOrThrow(undefined)
    setText('')
  }
  const verb = state === 'resolved' ? `resolve ${id}` : `update ${id} --state ${state}`
  return (
    <Section title="New update">
      <Form submit={publish} aria-label="New update">
        <Field label="State" name="state">
          <Select options={ALL_STATES} value={state} onChange={setState} />
        </Field>
        <Field label="Text" name="text">
          <TextArea rows={4} value={text} onChange={setText} />
        </Field>
        <FormActions>
          <SubmitButton>{state === 'resolved' ? 'Resolve incident' : 'Publish update'}</SubmitButton>
        </FormActions>
        <AsCommand command={`tollgate incident ${verb} --text ${shellQuote(text.trim() || 'TEXT')}`} />
      </Form>
    </Section>
  )
}
