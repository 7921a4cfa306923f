// The page of incidents, and the dialog that opens one.
import { ExternalLink, Megaphone, Plus } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, send } from '../../console/web/app/client.ts'
import { addressOf } from '../../console/web/app/gateway-address.ts'
import { useApi } from '../../console/web/app/query.ts'
import { ActionForm } from '../../console/web/parts/action-form.tsx'
import { shellQuote } from '../../console/web/parts/code-samples/samples.ts'
import { DialogButton } from '../../console/web/parts/dialog-buttons.tsx'
import { Field } from '../../console/web/parts/field.tsx'
import { TextArea, TextInput } from '../../console/web/parts/input.tsx'
import { Page } from '../../console/web/parts/page.tsx'
import { PagedTable } from '../../console/web/parts/paged-table.tsx'
import { Select } from '../../console/web/parts/select.tsx'
import { EmptyState } from '../../console/web/parts/states.tsx'
import { type Column, column, endColumn, useCursor } from '../../console/web/parts/table.tsx'
import { Time } from '../../console/web/parts/time.tsx'
import type { IncidentListRow } from '../incidents/list.ts'
import { IncidentStatus, OPEN_STATES } from './words.tsx'

const COLUMNS: Column<IncidentListRow>[] = [
  column('title', 'Incident', 'first', ({ title }) => <bdi>{title}</bdi>),
  column('state', 'State', 'second', ({ state }) => <IncidentStatus state={state} />),
  column('models', 'Models', 'none', ({ models }) => models || 'All'),
  endColumn('opened', 'Opened', 'second-end', ({ opened_at_ms }) => <Time at_ms={opened_at_ms} />),
]

export default function Incidents() {
  const cursor = useCursor()
  const incidents = useApi(['incidents', cursor], () => api.incidents.get({ query: { cursor } }))
  return (
    <Page
      title="Incidents"
      lead="What the status page says when something goes wrong."
      actions={
        <>
          <a className="button" href={addressOf('/status')} target="_blank" rel="noreferrer">
            <ExternalLink className="icon" aria-hidden />
            Status page
          </a>
          <DialogButton
            look="primary"
            icon={Plus}
            right="operate"
            title="New incident"
            content={(close) => <NewIncident onClose={close} />}
          >
            New incident
          </DialogButton>
        </>
      }
    >
      <PagedTable
        query={incidents}
        rowsOf={(answer) => answer.incidents}
        label="Incidents"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        hrefOf={({ id }) => `/system/incidents/${id}`}
        none={
          <EmptyState icon={Megaphone} title="No incidents">
            Open one when customers should know that something is wrong.
          </EmptyState>
        }
      />
    </Page>
  )
}

function NewIncident({ onClose }: { onClose: () => void }) {
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
  const [state, setState] = useState(OPEN_STATES[0]?.value ?? 'investigating')
  const [models, setModels] = useState('')
  const [, go] = useLocation()
  const named = models.split(',').flatMap((model) => model.trim() || [])
  const of_models = named.map((model) => ` --model ${model}`).join('')
  return (
    <ActionForm
      label="New incident"
      work={() => send(api.incidents.post({ title, text, state, models: named }))}
      changes={['incidents']}
      done={() => 'Incident opened'}
      onClose={onClose}
      onDone={({ id }) => {
        onClose()
        go(`/system/incidents/${id}`)
      }}
      verb="Open incident"
      command={`tollgate incident open ${shellQuote(title.trim() || 'TITLE')} --text ${shellQuote(text.trim() || 'TEXT')} --state ${state}${of_models}`}
    >
      <Field label="Title" name="title" help="Such as “Slow answers of GPT models”.">
        <TextInput value={title} onChange={setTitle} autoComplete="off" />
      </Field>
      <Field label="Text" name="text" help="What customers notice, and what you do about it.">
        <TextArea rows={4} value={text} onChange={setText} />
      </Field>
      <Field label="State" name="state">
        <Select options={OPEN_STATES} value={state} onChange={setState} />
      </Field>
      <Field label="Models" name="models" help="Separated by commas. Leave empty for all models.">
        <TextInput code value={models} onChange={setModels} autoComplete="off" />
      </Field>
    </ActionForm>
  )
}
