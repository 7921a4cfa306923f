// The page New model.
import { useLocation } from 'wouter'
import { Page } from '../../../console/web/parts/page.tsx'
import { useReportAdded } from '../parts/saving.ts'
import { NewModel } from './new-model.tsx'

export default function NewModelPage() {
  const [, go] = useLocation()
  const added = useReportAdded()
  return (
    <Page title="New model" lead="What callers can use, who serves it, and what it costs them." width="form">
      <NewModel
        tested={null}
        onDone={(id, saved) => {
          added(id, saved, () => go('/models'))
          go(`/models/${encodeURIComponent(id)}`)
        }}
        onCancel={() => go('/models')}
      />
    </Page>
  )
}
