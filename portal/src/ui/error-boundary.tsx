import { Alert, Button } from '@mantine/core'
import { Component, type ReactNode } from 'react'

interface Props {
  /** Where the reader is: elsewhere it is tried anew. */
  at: string
  children: ReactNode
}

/** A part of the page that could not be loaded, as after an update of the server, or that broke. */
export class ErrorBoundary extends Component<Props, { hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override componentDidUpdate({ at }: Props) {
    if (this.state.hasFailed && at !== this.props.at) this.setState({ hasFailed: false })
  }

  override render() {
    if (!this.state.hasFailed) return this.props.children
    return (
      <Alert color="red" variant="light" title="This page could not be shown" role="alert">
        <Button variant="default" size="xs" mt="xs" onClick={() => location.reload()}>
          Reload
        </Button>
      </Alert>
    )
  }
}
