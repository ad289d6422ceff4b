<?php
/**
 * Sends a game's facts to Chancery: one file to copy, for PHP 8.1 or newer, without packages.
 *
 *     require 'ChanceryGame.php';
 *     $sender = new Chancery\Sender('http://127.0.0.1:8081', getenv('CHANCERY_OPERATOR_TOKEN'), '/var/lib/game/chancery');
 *     $sender->put('nation', ['id' => '42', 'nation_name' => 'Valdoria']);
 *     $sender->batch([['op' => 'delete', 'resource' => 'treaty', 'id' => '7']], id: 'turn-8817');
 *
 * batch, put, delete and event store a batch in the spool folder: a page never waits for the service. A worker sends what is stored,
 * in order, and applies nothing twice: `php worker.php` with `$sender->run();`, or `$sender->deliver();` in a cron job.
 * Any number of processes may share a spool: one of them delivers.
 */

declare(strict_types=1);

namespace Chancery;

/** The service did not take the batches: they stay in the spool and are sent again. */
final class ServiceError extends \RuntimeException {}

/** More waits than $bytesMax. The facts of this call were not stored. */
final class SpoolFull extends \RuntimeException {}

final class Sender
{
    private const REQUEST_BATCHES_MAX = 100;
    private const REQUEST_BYTES_MAX = 4 * 1024 * 1024;
    private const BACK_OFF_SECONDS = [0.2, 30];
    private const JSON = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR;

    private string $url;

    /**
     * @param string $url the operator API
     * @param string $token one of the role "facts"
     * @param ?callable(string): void $log default: error_log
     */
    public function __construct(
        string $url,
        #[\SensitiveParameter] private string $token,
        private string $spool,
        private int $bytesMax = 1 << 30,
        private int $timeout = 300,
        private mixed $log = null,
    ) {
        if (!preg_match('~^https?://[^/]~', $url)) {
            throw new \InvalidArgumentException("url is $url: it must be an http or https address");
        }
        $this->url = rtrim($url, '/');
        if (!is_dir("$spool/rejected") && !@mkdir("$spool/rejected", 0700, true) && !is_dir("$spool/rejected")) {
            throw new \RuntimeException("the spool $spool cannot be created");
        }
    }

    /** States current values of an item; omitted fields stay unchanged. */
    public function put(string $resource, array $data): string
    {
        return $this->batch([['op' => 'put', 'resource' => $resource, 'data' => $data]]);
    }

    public function delete(string $resource, string $id): string
    {
        return $this->batch([['op' => 'delete', 'resource' => $resource, 'id' => $id]]);
    }

    /** Something that changed no state. $about: summary, nation_ids, alliance_ids, war_id, conflict_id, occurred_at. */
    public function event(string $type, array $data, array $about = []): string
    {
        $event = ['type' => $type, 'occurred_at' => gmdate('Y-m-d\TH:i:s\Z'), ...$about, 'data' => (object) $data];
        return $this->batch([['op' => 'event', 'data' => $event]]);
    }

    /**
     * Stores facts that belong together: they are applied completely or not at all. Returns the id of the batch.
     *
     * An id of your own makes a repetition safe: the same batch is applied once. announce: false records history,
     * whose events are not sent to webhooks and open streams. setAside: true applies the batch without the facts that do
     * not fit: the service keeps these, and applies them as soon as they fit.
     */
    public function batch(array $facts, ?string $id = null, bool $announce = true, bool $setAside = false): string
    {
        if ($facts === []) {
            throw new \InvalidArgumentException('a batch needs a fact');
        }
        $id ??= 'game-' . bin2hex(random_bytes(16));
        $commit = ['op' => 'commit', 'batch' => $id, ...($announce ? [] : ['announce' => false])];
        if ($setAside) {
            $commit['refused'] = 'set_aside';
        }
        $text = '';
        foreach ([...$facts, $commit] as $fact) {
            $text .= json_encode($fact, self::JSON) . "\n";
        }
        // The order of the files is the order of the calls, also of several processes.
        $this->locked('lock', function () use ($text): void {
            $state = $this->readState();
            $size = strlen($text);
            if ($state['bytes'] + $size > $this->bytesMax) {
                throw new SpoolFull("{$state['bytes']} bytes wait to be sent: $size more would exceed {$this->bytesMax}");
            }
            $this->writeState(['next' => $state['next'] + 1, 'bytes' => $state['bytes'] + $size]);
            self::writeDurably(sprintf('%s/%012d.ndjson', $this->spool, $state['next']), $text);
        });
        return $id;
    }

    /**
     * Sends what is stored. Returns the outcome of each batch; throws a ServiceError for the first that is not known.
     *
     * A rejected batch ("refused", "conflict") is logged with its reasons. The service keeps it (chancery refused list),
     * or it stays in the folder "rejected". Returns at once if another process delivers.
     *
     * @return list<array<string, mixed>>
     */
    public function deliver(): array
    {
        return $this->locked('delivering', function (): array {
            $outcomes = [];
            while (($batches = $this->nextBatches()) !== []) {
                foreach ($this->send($batches) as $number => $outcome) {
                    $this->finish($batches[$number], $outcome);
                    $outcomes[] = $outcome;
                }
            }
            return $outcomes;
        }, waits: false) ?? [];
    }

    /** Delivers for a number of seconds, or until the process ends. An outage is logged once, and its end once. */
    public function run(float $seconds = INF, float $pause = 0.2): void
    {
        [$first, $most] = self::BACK_OFF_SECONDS;
        [$wait, $trouble] = [$first, null];
        $end = microtime(true) + $seconds;
        while (microtime(true) < $end) {
            try {
                $this->deliver();
                if ($trouble !== null) {
                    $this->log('the service takes facts again');
                }
                [$wait, $trouble] = [$first, null];
                usleep((int) ($pause * 1e6));
            } catch (ServiceError $error) {
                if ($trouble !== $error->getMessage()) {
                    $this->log($error->getMessage());
                }
                $trouble = $error->getMessage();
                usleep((int) ($wait * 1e6 * random_int(50, 100) / 100));
                $wait = min($wait * 2, $most);
            }
        }
    }

    /** @return list<string> files */
    private function nextBatches(): array
    {
        $files = $this->locked('lock', function (): array {
            $files = glob("{$this->spool}/*.ndjson");
            if ($files === []) {
                $this->writeState(['bytes' => 0] + $this->readState());
            }
            return $files;
        });
        $batches = [];
        $total = 0;
        foreach (array_slice($files, 0, self::REQUEST_BATCHES_MAX) as $file) {
            $total += filesize($file);
            if ($batches !== [] && $total > self::REQUEST_BYTES_MAX) {
                break;
            }
            $batches[] = $file;
        }
        return $batches;
    }

    /** @param list<string> $files */
    private function send(array $files): \Generator
    {
        $texts = array_map('file_get_contents', $files);
        $options = [
            'method' => 'POST',
            'header' => ["Authorization: Bearer {$this->token}", 'Content-Type: application/x-ndjson'],
            'content' => implode('', $texts),
            'protocol_version' => 1.1,
            'timeout' => $this->timeout,
            'ignore_errors' => true,
            'follow_location' => 0,
        ];
        $options['header'][] = 'Connection: close';
        error_clear_last();
        $response = @fopen("{$this->url}/facts", 'r', false, stream_context_create(['http' => $options]));
        if ($response === false) {
            // The message of PHP contains the address, and no header.
            $reason = preg_replace('~^.*: ~', '', error_get_last()['message'] ?? 'no response');
            throw new ServiceError("the service is not reachable ($reason)");
        }
        try {
            $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
            if ($status !== 200) {
                $detail = json_decode((string) stream_get_contents($response, 65536), true)['error']['message'] ?? '';
                throw new ServiceError("the service returned status $status" . ($detail === '' ? '' : ": $detail"));
            }
            $linesBefore = 0;
            foreach ($texts as $number => $text) {
                $line = fgets($response);
                $outcome = $line === false ? null : json_decode($line, true);
                if (!isset($outcome['status'])) {
                    throw new ServiceError('the connection ended before all outcomes were received');
                }
                if ($outcome['status'] === 'unavailable') {
                    throw new ServiceError('the database of the service is unavailable');
                }
                foreach ($outcome['refused'] as &$reason) {
                    $reason['line'] -= $reason['line'] > 0 ? $linesBefore : 0;
                }
                unset($reason);
                $linesBefore += substr_count($text, "\n");
                yield $number => $outcome;
            }
        } finally {
            fclose($response);
        }
    }

    private function finish(string $file, array $outcome): void
    {
        $isRejected = !in_array($outcome['status'], ['applied', 'duplicate'], true);
        if ($isRejected) {
            $reasons = array_map(
                fn (array $reason): string => "line {$reason['line']} {$reason['path']}: {$reason['reason']}",
                array_slice($outcome['refused'], 0, 3),
            );
            $this->log("batch {$outcome['batch']} was rejected ({$outcome['status']}): " . implode('; ', $reasons));
        }
        if ($isRejected && !$outcome['is_kept']) {
            rename($file, "{$this->spool}/rejected/" . basename($file));
            return;
        }
        $size = filesize($file);
        unlink($file);
        $this->locked('lock', function () use ($size): void {
            $state = $this->readState();
            $this->writeState(['bytes' => max(0, $state['bytes'] - $size)] + $state);
        });
    }

    /** @return array{next: int, bytes: int} */
    private function readState(): array
    {
        $text = @file_get_contents("{$this->spool}/state.json");
        return $text === false ? ['next' => 1, 'bytes' => 0] : json_decode($text, true, 8, JSON_THROW_ON_ERROR);
    }

    private function writeState(array $state): void
    {
        self::writeDurably("{$this->spool}/state.json", json_encode($state, self::JSON));
    }

    private static function writeDurably(string $path, string $data): void
    {
        $mask = umask(0077);
        $file = fopen("$path.new", 'w');
        umask($mask);
        $isWritten = $file !== false && fwrite($file, $data) === strlen($data) && fsync($file) && fclose($file);
        if (!$isWritten || !rename("$path.new", $path)) {
            throw new \RuntimeException("$path cannot be written");
        }
    }

    /** Returns what the work returns; null if it does not wait and another process has the lock. */
    private function locked(string $name, callable $work, bool $waits = true): mixed
    {
        $file = fopen("{$this->spool}/$name", 'a');
        if ($file === false) {
            throw new \RuntimeException("{$this->spool}/$name cannot be opened");
        }
        if (!flock($file, $waits ? LOCK_EX : LOCK_EX | LOCK_NB)) {
            return null;
        }
        try {
            return $work();
        } finally {
            fclose($file);
        }
    }

    private function log(string $message): void
    {
        $this->log === null ? error_log("chancery: $message") : ($this->log)($message);
    }
}
