package io.github.kobe.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class ShowTest {

    private static Ledger run(List<Tenant> tenants, int globalCap) throws InterruptedException {
        Screen nowhere = new PlainLines(new PrintStream(OutputStream.nullOutputStream()));
        return new Show(tenants, globalCap, new Options(1, 1, false)).run(nowhere);
    }

    @Test
    void everyTaskHasOneEndAndTheGroupsAddUpToAll() throws InterruptedException {
        Ledger ledger = run(Tenant.CAST, Tenant.GLOBAL_CAP);
        assertThat(ledger.anyLimitExceeded()).isFalse();
        assertThat(ledger.groups()).allMatch(Tally::addsUp);
        assertThat(ledger.groups().stream().mapToInt(tally -> tally.done.get()).sum())
                .isEqualTo(ledger.all().done.get())
                .isPositive();
        assertThat(ledger.all().submitted.get())
                .isEqualTo(Plan.of(Tenant.CAST, 1, 1).size());
    }

    @Test
    void whatIsLeftWhenTimeIsUpIsCancelled() throws InterruptedException {
        Tenant endless = new Tenant("endless", 1, 10, 3, 0, 0, 60_000, 60_000);
        Ledger ledger = run(List.of(endless), 1);
        assertThat(ledger.group("endless").cancelled.get()).isEqualTo(3);
        assertThat(ledger.all().addsUp()).isTrue();
    }

    @Test
    void aTallyNoticesAnExceededLimit() {
        Ledger ledger = new Ledger(Tenant.CAST, Tenant.GLOBAL_CAP);
        Tally batch = ledger.group("batch");
        batch.enter(0);
        assertThat(ledger.anyLimitExceeded()).isFalse();
        batch.enter(0);
        batch.exit();
        assertThat(ledger.anyLimitExceeded()).isTrue();
    }

    @Test
    void theSameSeedGivesTheSamePlan() {
        assertThat(Plan.of(Tenant.CAST, 5, 3))
                .isEqualTo(Plan.of(Tenant.CAST, 5, 3))
                .isNotEqualTo(Plan.of(Tenant.CAST, 5, 4));
    }
}
