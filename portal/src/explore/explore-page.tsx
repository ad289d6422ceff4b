import { Anchor, Button, Group } from '@mantine/core'
import { useLocation, useSearchParams } from 'wouter'
import { useNation } from '../session/use-session.ts'
import { PageHeading } from '../ui/page-heading.tsx'
import { QueryView } from '../ui/query-view.tsx'
import { Empty, Section } from '../ui/section.tsx'
import { usePageInfo } from '../ui/use-page-info.ts'
import { FieldTable } from './field-table.tsx'
import { SearchBox } from './search-box.tsx'
import { type Subject, useExploration } from './use-exploration.ts'

/** What others see of a nation or an alliance. The address names it, so that it can be gone back to. */
export function ExplorePage() {
  const nation = useNation()
  const { docs_url } = usePageInfo()
  const [, navigate] = useLocation()
  const [parameters] = useSearchParams()
  const show = ({ kind, id }: Subject) => navigate(`/explore?${new URLSearchParams({ kind, id })}`)

  const ownNation: Subject | null = nation && { kind: 'nation', id: nation.nation_id }
  const ownAlliance: Subject | null = nation?.alliance
    ? { kind: 'alliance', id: nation.alliance.alliance_id }
    : null
  const id = parameters.get('id')
  const asked: Subject | null = id
    ? { kind: parameters.get('kind') === 'alliance' ? 'alliance' : 'nation', id }
    : null
  const subject = asked ?? ownNation
  const isShown = (other: Subject) => other.kind === subject?.kind && other.id === subject.id

  return (
    <>
      <PageHeading title="Explore">
        What others see of a nation or an alliance, and what only you do: made by the same rules as every
        answer of the API.{' '}
        <Anchor href={docs_url} inherit underline="always">
          Read the API reference
        </Anchor>
      </PageHeading>
      <Section title="Whom to look at">
        <Group gap="xs" mb="md">
          {ownNation && (
            <Button
              variant={isShown(ownNation) ? 'filled' : 'default'}
              aria-pressed={isShown(ownNation)}
              onClick={() => show(ownNation)}
            >
              My nation
            </Button>
          )}
          {ownAlliance && (
            <Button
              variant={isShown(ownAlliance) ? 'filled' : 'default'}
              aria-pressed={isShown(ownAlliance)}
              onClick={() => show(ownAlliance)}
            >
              My alliance
            </Button>
          )}
        </Group>
        <SearchBox onChoose={show} />
      </Section>
      {subject ? <ExploredResource subject={subject} /> : <Empty>Search for a nation or an alliance.</Empty>}
    </>
  )
}

function ExploredResource({ subject }: { subject: Subject }) {
  const exploration = useExploration(subject)
  return (
    <QueryView query={exploration} rows={8} rowHeight={56}>
      {found => <FieldTable of={found} />}
    </QueryView>
  )
}
